import { textAt, treeAt } from "../api/kube-object.ts";
import { labelProblems } from "../api/validate-metadata.ts";
import type { Strategy } from "./strategy.ts";

/** Namespaces: named by DNS labels, labelled with their own name, held by a finalizer in their spec. */
export const namespaceStrategy: Strategy = {
  validateName: labelProblems,
  prepareForCreate: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    const finalizers = (spec["finalizers"] as string[] | undefined) ?? [];
    object["spec"] = {
      ...spec,
      finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"],
    };
    object["status"] = { phase: "Active" };
    object.metadata.labels = { ...object.metadata.labels, "kubernetes.io/metadata.name": object.metadata.name ?? "" };
  },
  prepareForUpdate: (object, old) => {
    object["spec"] = { ...treeAt(object, "spec"), finalizers: treeAt(old, "spec")?.["finalizers"] };
  },
  fieldNames: ["status.phase", "name"],
  fields: (object) => ({ "status.phase": textAt(object, "status", "phase"), name: object.metadata.name ?? "" }),
};
