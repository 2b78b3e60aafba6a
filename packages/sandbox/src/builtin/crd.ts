import { isTree, type KubeObject, listAt, type Tree, textAt, timeText, treeAt } from "../api/kube-object.ts";
import { cleanupFinalizer } from "../crd/crd-controller.ts";
import { definitionStructureProblems } from "../crd/validate-definition.ts";
import { fill } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

const terminating = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionPending",
  message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
};

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
  markDeleted: (object, { clock }) => {
    const { metadata } = object;
    const now = timeText(clock.now());
    if (metadata.deletionTimestamp) return;
    metadata.deletionTimestamp = now;
    metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), cleanupFinalizer])];
    const status = treeAt(object, "status") ?? {};
    status["conditions"] = [...listAt(status, "conditions"), { ...terminating, lastTransitionTime: now }];
  },
};

function storedVersions(object: KubeObject, before: readonly string[]): string[] {
  const stored = listAt(object, "spec", "versions")
    .filter(isTree)
    .find((version) => version["storage"] === true);
  return stored ? [...new Set([...before, textAt(stored, "name")])] : [...before];
}
