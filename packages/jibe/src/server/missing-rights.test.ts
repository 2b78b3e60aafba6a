import { expect, test } from "vitest";
import { type AccessRule, missingRights } from "./missing-rights.ts";

const all = ["*"];
const cases: Record<string, [readonly AccessRule[], readonly unknown[]]> = {
  "nothing to an administrator": [[{ verbs: all, apiGroups: all, resources: all }], []],
  "nothing to a server with the least rights": [
    [
      { verbs: ["get", "list", "watch", "create", "update", "patch"], apiGroups: all, resources: all },
      { verbs: all, apiGroups: ["velero.io"], resources: all },
    ],
    [],
  ],
  "the verbs that no rule gives": [
    [
      { verbs: all, apiGroups: ["velero.io"], resources: all },
      { verbs: ["get"], apiGroups: ["coordination.k8s.io"], resources: ["leases"] },
      { verbs: ["create"], apiGroups: ["coordination.k8s.io"], resources: ["leases"] },
      { verbs: all, apiGroups: [""], resources: ["secrets", "configmaps"] },
    ],
    ["update leases.coordination.k8s.io"],
  ],
  "what is given for single names only": [
    [
      { verbs: all, apiGroups: ["velero.io", "coordination.k8s.io"], resources: all },
      { verbs: all, apiGroups: [""], resources: ["secrets"] },
      { verbs: all, apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"] },
    ],
    ["get configmaps"],
  ],
};
for (const [name, [rules, want]] of Object.entries(cases)) {
  test(`missingRights names ${name}`, () => expect(missingRights(rules)).toEqual(want));
}

test("missingRights names everything to whoever has no rights", () => {
  expect(missingRights([])).toContain("get, list, watch, create, update, patch, delete backups.velero.io");
});
