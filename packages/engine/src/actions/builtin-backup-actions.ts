import { AppError, cloneJson, type Scope } from "@jibe/base";
import type { Backup, KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import { bodyFromObject, type ItemBody } from "../item/item-body.ts";
import { record } from "../policies/volume-facts.ts";
import type { Cluster } from "../ports/cluster.ts";
import type { BackupAction, BackupActionResult } from "../ports/plugins.ts";
import { ClusterFacts } from "./cluster-facts.ts";
import { boundVolumeName, relatedToClaim, relatedToPod, relatedToServiceAccount } from "./related-items.ts";

const crdGroup = "apiextensions.k8s.io";

/**
 * The backup actions that are part of the server, in the order of execution. They hold what they read of the cluster for one run:
 * make them anew for each.
 */
export function builtinBackupActions({
  cluster,
  features = [],
}: {
  readonly cluster: Cluster;
  readonly features?: readonly string[];
}): BackupAction[] {
  const facts = new ClusterFacts(cluster);
  const remap = builtin(
    "velero.io/crd-remap-version",
    `customresourcedefinitions.${crdGroup}`,
    (body, _backup, scope) => remapDefinition({ body, cluster, facts }, scope),
  );
  return [
    ...(features.includes("EnableAPIGroupVersions") ? [] : [remap]),
    builtin("velero.io/pod", "pods", async (body) => result(body, relatedToPod(body.object))),
    builtin("velero.io/pv", "persistentvolumeclaims", async (body, backup) => claimResult(body, backup)),
    builtin("velero.io/service-account", "serviceaccounts", async (body, _backup, scope) =>
      result(body, relatedToServiceAccount(body.object, await facts.roleBindings(scope))),
    ),
  ];
}

function builtin(
  name: string,
  resource: string,
  execute: (body: ItemBody, backup: Backup, scope: Scope) => Promise<BackupActionResult>,
): BackupAction {
  return {
    name,
    appliesTo: async () => ({ includedResources: [resource] }),
    execute,
    progress: async (operationId) => {
      throw new AppError("Unsupported", `${name} has no asynchronous operations`, { fields: { operationId } });
    },
    cancel: async () => {},
  };
}

function result(body: ItemBody, additionalItems: readonly ResourceIdentifier[] = []): BackupActionResult {
  return { body, additionalItems, operationId: "", itemsToUpdate: [] };
}

/** A bound claim is stored so that it can be provisioned anew: without data source, selector and traces of earlier restores. */
function claimResult(body: ItemBody, backup: Backup): BackupActionResult {
  if (boundVolumeName(body.object) === "") return result(body);
  const claim = cloneJson(body.object);
  const removed = [cleanSpec(record(claim["spec"]) as Record<string, unknown>), cleanLabels(claim, backup)];
  return result(removed.includes(true) ? bodyFromObject(claim) : body, relatedToClaim(claim));
}

function cleanSpec(spec: Record<string, unknown>): boolean {
  const before = Object.keys(spec).length;
  delete spec["dataSource"];
  delete spec["dataSourceRef"];
  // an empty class means a hand-made volume, which only the selector finds again
  if (spec["storageClassName"] !== "") delete spec["selector"];
  const labels = record(record(spec["selector"])["matchLabels"]) as Record<string, unknown>;
  const stale = Object.keys(labels).filter((key) => key.startsWith("velero.io/"));
  for (const key of stale) delete labels[key];
  return stale.length > 0 || Object.keys(spec).length !== before;
}

function cleanLabels(claim: KubernetesObject, backup: Backup): boolean {
  const labels = claim.metadata.labels ?? {};
  const stale = Object.keys(labels).filter(
    (key) =>
      key === "velero.io/restore-name" ||
      key === "velero.io/volume-snapshot-name" ||
      key === "backup.velero.io/must-include-additional-items" ||
      (key === "velero.io/backup-name" && labels[key] !== backup.metadata.name),
  );
  for (const key of stale) delete labels[key];
  return stale.length > 0;
}

/** A definition made through v1beta1 may not be valid as v1; where the server still serves v1beta1, that form is stored. */
async function remapDefinition(
  { body, cluster, facts }: { readonly body: ItemBody; readonly cluster: Cluster; readonly facts: ClusterFacts },
  scope: Scope,
): Promise<BackupActionResult> {
  const definition = body.object;
  if (definition.apiVersion !== `${crdGroup}/v1` || !isFromBeta(definition)) return result(body);
  const { resources } = await facts.discovery(scope);
  const beta = resources.find(
    ({ group, version, resource }) =>
      group === crdGroup && version === "v1beta1" && resource === "customresourcedefinitions",
  );
  if (!beta) return result(body);
  const { name } = definition.metadata;
  const stored = await cluster.get(beta, { name }, scope).catch((cause: unknown) => {
    scope.signal.throwIfAborted();
    throw new AppError("Internal", `error fetching v1beta1 version of ${name}`, { cause });
  });
  return result(stored);
}

function isFromBeta(definition: KubernetesObject): boolean {
  const spec = record(definition["spec"]);
  const [version] = (spec["versions"] ?? []) as readonly { schema?: { openAPIV3Schema?: unknown } }[];
  const conditions = (record(definition["status"])["conditions"] ?? []) as readonly { type?: string }[];
  return (
    (version !== undefined && !version.schema?.openAPIV3Schema) ||
    conditions.some(({ type }) => type === "NonStructuralSchema") ||
    spec["preserveUnknownFields"] === true
  );
}
