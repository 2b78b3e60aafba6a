import { jsonEquals, parseQuantity } from "@jibe/base";
import { isTree, type KubeObject, listAt, type Tree, treeAt } from "../api/kube-object.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../schema/field-error.ts";
import { fill } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

/** Fills in what a claim leaves out, alone or in a template. */
export function fillClaimSpec(claim: Tree): void {
  const spec = treeAt(claim, "spec") ?? {};
  fill(spec, { volumeMode: "Filesystem" });
  const [source, reference] = [treeAt(spec, "dataSource"), treeAt(spec, "dataSourceRef")];
  if (source && !reference) spec["dataSourceRef"] = { ...source };
  if (reference && !source && reference["namespace"] === undefined) spec["dataSource"] = { ...reference };
}

export const claimStrategy: Strategy = {
  setDefaults: (object) => {
    fillClaimSpec(object);
    const status = treeAt(object, "status") ?? {};
    fill(status, { phase: "Pending" });
    object["status"] = status;
  },
  prepareForCreate: (object) => {
    object["status"] = { phase: "Pending" };
    protect(object, "kubernetes.io/pvc-protection");
  },
  validate: claimProblems,
  returnsDeleted: true,
};

export const volumeStrategy: Strategy = {
  setDefaults: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    fill(spec, { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
    const host = treeAt(spec, "hostPath");
    if (host) fill(host, { type: "" });
    const status = treeAt(object, "status") ?? {};
    fill(status, { phase: "Pending" });
    object["status"] = status;
  },
  prepareForCreate: (object, { clock }) => {
    object["status"] = { phase: "Pending", lastPhaseTransitionTime: `${clock.now().toISOString().slice(0, 19)}Z` };
    protect(object, "kubernetes.io/pv-protection");
  },
  validate: volumeProblems,
  returnsDeleted: true,
};

/** In-use protection is an admission of every cluster. */
function protect({ metadata }: KubeObject, finalizer: string): void {
  if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
}

const claimSpecText =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function claimProblems(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = treeAt(object, "spec") ?? {};
  const problems: FieldError[] = [];
  if (listAt(spec, "accessModes").length === 0) {
    problems.push(required("spec.accessModes", "at least 1 access mode is required"));
  }
  const storage = treeAt(spec, "resources", "requests")?.["storage"];
  if (storage === undefined) problems.push(required("spec.resources[storage]"));
  problems.push(...accessModeProblems(spec));
  if (!old) return problems;
  const before = treeAt(old, "spec") ?? {};
  const isBound = treeAt(old, "status")?.["phase"] === "Bound";
  const same = jsonEquals(withoutMutable(spec, before, isBound), withoutMutable(before, before, isBound));
  if (!same) problems.push(forbidden("spec", claimSpecText));
  const shrinks =
    (parseQuantity(String(storage))?.nanos ?? 0n) <
    (parseQuantity(String(treeAt(before, "resources", "requests")?.["storage"]))?.nanos ?? 0n);
  if (shrinks)
    problems.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  return problems;
}

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

const accessModeProblems = (spec: Tree) =>
  listAt(spec, "accessModes")
    .filter((mode) => !accessModes.includes(String(mode)))
    .map((mode) => notSupported("spec.accessModes", mode, accessModes));

/** The parts that a bound claim may change, and the binding itself while there is none. */
function withoutMutable(spec: Tree, before: Tree, isBound: boolean): Tree {
  const { volumeAttributesClassName: _class, ...rest } = spec;
  const resources = treeAt(rest, "resources");
  if (isBound && resources) rest["resources"] = { ...resources, requests: treeAt(before, "resources")?.["requests"] };
  if (before["volumeName"] === undefined) delete rest["volumeName"];
  if (before["storageClassName"] === undefined) delete rest["storageClassName"];
  return rest;
}

const sourceKeys = new Set([
  "hostPath",
  "nfs",
  "csi",
  "local",
  "iscsi",
  "fc",
  "rbd",
  "cephfs",
  "glusterfs",
  "azureDisk",
  "azureFile",
  "awsElasticBlockStore",
  "gcePersistentDisk",
  "vsphereVolume",
  "cinder",
  "flexVolume",
  "flocker",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "scaleIO",
  "storageos",
]);

function volumeProblems(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = treeAt(object, "spec") ?? {};
  const problems: FieldError[] = [];
  if (listAt(spec, "accessModes").length === 0) problems.push(required("spec.accessModes"));
  if (Object.keys(treeAt(spec, "capacity") ?? {}).length === 0) {
    problems.push(required("spec.capacity"), notSupported("spec.capacity", null, ["storage"]));
  }
  const sources = Object.keys(spec).filter((key) => sourceKeys.has(key));
  if (sources.length === 0) problems.push(required("spec", "must specify a volume type"));
  const before = treeAt(old, "spec");
  if (before && !jsonEquals(sourceOf(spec), sourceOf(before))) {
    problems.push(forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  }
  return problems;
}

const sourceOf = (spec: Tree) =>
  Object.fromEntries(Object.entries(spec).filter(([key, value]) => sourceKeys.has(key) && isTree(value)));

export const storageClassStrategy: Strategy = {
  returnsDeleted: true,
  setDefaults: (object) => fill(object, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  validate: (object, old) => {
    if (!old) return object["provisioner"] ? [] : [required("provisioner")];
    if (object["provisioner"] !== old["provisioner"])
      return [invalid("provisioner", object["provisioner"], "field is immutable")];
    return ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]
      .filter((field) => !jsonEquals(object[field], old[field]))
      .map((field) =>
        forbidden(
          field,
          field === "parameters" ? "updates to parameters are forbidden." : `updates to ${field} are forbidden.`,
        ),
      );
  },
};

export const csiDriverStrategy: Strategy = {
  returnsDeleted: true,
  requiresVersion: true,
  setDefaults: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    fill(spec, {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ["Persistent"],
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      requiresRepublish: false,
      seLinuxMount: false,
    });
  },
};
