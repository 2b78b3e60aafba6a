import { isTree, type KubeObject, listAt, type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { cleanupFinalizer } from "../crd/crd-controller.ts";
import { definitionStructureProblems } from "../crd/validate-definition.ts";
import { fill } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

/** Custom resource definitions: names filled in, storage versions remembered, cleaned up before they go. */
export const crdStrategy: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  setDefaults: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    const names = treeAt(spec, "names") ?? {};
    const kind = textAt(names, "kind");
    if (kind !== "") fill(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
    fill(spec, { conversion: { strategy: "None" } });
  },
  prepareForCreate: (object) => {
    object["status"] = {
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: storedVersions(object, []),
    };
  },
  prepareForUpdate: (object, old) => {
    const status = (object["status"] ?? {}) as Tree;
    status["storedVersions"] = storedVersions(object, listAt(old, "status", "storedVersions") as string[]);
  },
  validate: (object, old) => definitionStructureProblems(object, old),
  graceSeconds: (object) => {
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(cleanupFinalizer)) object.metadata.finalizers = [...finalizers, cleanupFinalizer];
    return 0;
  },
};

function storedVersions(object: KubeObject, before: readonly string[]): string[] {
  const stored = listAt(object, "spec", "versions")
    .filter(isTree)
    .filter((version) => version["storage"] === true);
  return [...new Set([...before, ...stored.map((version) => textAt(version, "name"))])];
}
