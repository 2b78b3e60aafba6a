import { textAt, timeText, treeAt } from "../api/kube-object.ts";
import { labelProblems } from "../api/validate-metadata.ts";
import type { Strategy } from "./strategy.ts";

const kept: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/** Namespaces: named by DNS labels, labelled with their own name, held by a finalizer in their spec. */
export const namespaceStrategy: Strategy = {
  validateName: labelProblems,
  setDefaults: ({ metadata }) => {
    if (metadata.name) metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
  },
  prepareForCreate: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    const finalizers = (spec["finalizers"] as string[] | undefined) ?? [];
    object["spec"] = {
      ...spec,
      finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"],
    };
    object["status"] = { phase: "Active" };
  },
  prepareForUpdate: (object, old) => {
    object["spec"] = { ...treeAt(object, "spec"), finalizers: treeAt(old, "spec")?.["finalizers"] };
  },
  prepareForSubresource: (object, old, subresource) => {
    if (subresource === "finalize") object["status"] = old["status"];
    else object["spec"] = old["spec"];
  },
  forbidsDelete: (name) => (kept.has(name) ? "this namespace may not be deleted" : undefined),
  markDeleted: (object, { clock }) => {
    object.metadata.deletionTimestamp ??= timeText(clock.now());
    object["status"] = { ...treeAt(object, "status"), phase: "Terminating" };
  },
  returnsDeleted: true,
  fieldNames: ["status.phase", "name"],
  fields: (object) => ({ "status.phase": textAt(object, "status", "phase"), name: object.metadata.name ?? "" }),
};
