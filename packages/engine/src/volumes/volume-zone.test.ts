import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { expect, test } from "vitest";
import { volume } from "../../test/builders.ts";
import { volumeZone } from "./volume-zone.ts";

const affinity = (...terms: [string, string][]): KubernetesObject => {
  const bare = volume("pv", "a/b");
  const matchExpressions = terms.map(([key, value]) => ({ key, operator: "In", values: [value] }));
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  return { ...bare, spec: { nodeAffinity: { required } } };
};
const labels = (given: Record<string, string>) => volume("pv", "a/b", { metadata: { labels: given } });

const cases: Record<string, { pv: KubernetesObject; want: string }> = {
  "is empty without any hint": { pv: volume("pv", "a/b"), want: "" },
  "comes from the label": { pv: labels({ "topology.kubernetes.io/zone": "z1" }), want: "z1" },
  "comes from the old label": { pv: labels({ "failure-domain.beta.kubernetes.io/zone": "z0" }), want: "z0" },
  "prefers the new label": {
    pv: labels({ "failure-domain.beta.kubernetes.io/zone": "z0", "topology.kubernetes.io/zone": "z1" }),
    want: "z1",
  },
  "comes from the affinity of a driver": { pv: affinity(["topology.ebs.csi.aws.com/zone", "us-1a"]), want: "us-1a" },
  "joins the zones of GKE": {
    pv: affinity(["topology.gke.io/zone", "z1"], ["topology.gke.io/zone", "z2"]),
    want: "z1__z2",
  },
  "ignores other keys": { pv: affinity(["kubernetes.io/hostname", "node"]), want: "" },
};
for (const [name, { pv, want }] of Object.entries(cases)) {
  test(`a volume's zone ${name}`, () => expect(volumeZone(pv)).toBe(want));
}
