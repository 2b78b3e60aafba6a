import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { record, text } from "../policies/volume-facts.ts";

const zoneLabel = "topology.kubernetes.io/zone";
const deprecatedZoneLabel = "failure-domain.beta.kubernetes.io/zone";
const gkeZoneKey = "topology.gke.io/zone";
const affinityKeys = new Set([
  "topology.ebs.csi.aws.com/zone",
  "topology.disk.csi.azure.com/zone",
  gkeZoneKey,
  "topology.manila.csi.openstack.org/zone",
  "topology.cinder.csi.openstack.org/zone",
  zoneLabel,
  deprecatedZoneLabel,
]);

/** The zone of a persistent volume: from its labels, else from its node affinity; empty when it has none. */
export function volumeZone(volume: KubernetesObject): string {
  const labels = volume.metadata.labels ?? {};
  return labels[zoneLabel] ?? labels[deprecatedZoneLabel] ?? zoneFromAffinity(volume);
}

/** Regional volumes on GKE have several zones, which its snapshotter takes joined; everywhere else the first one counts. */
function zoneFromAffinity(volume: KubernetesObject): string {
  const required = record(record(record(volume["spec"])["nodeAffinity"])["required"]);
  const gkeZones: string[] = [];
  for (const term of list(required["nodeSelectorTerms"])) {
    for (const expression of list(record(term)["matchExpressions"])) {
      const { key, operator, values } = record(expression);
      const [zone] = list(values);
      if (!affinityKeys.has(text(key)) || operator !== "In" || typeof zone !== "string") continue;
      if (key !== gkeZoneKey) return zone;
      gkeZones.push(zone);
    }
  }
  return gkeZones.join("__");
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
