import { jsonEquals } from "@jibe/base";
import { isTree, listAt, textAt, treeAt } from "../api/kube-object.ts";
import { pathSegmentProblems } from "../api/validate-metadata.ts";
import { invalid, required } from "../schema/field-error.ts";
import { fill } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

const rbacGroup = "rbac.authorization.k8s.io";

export const serviceAccountStrategy: Strategy = { returnsDeleted: true };

const rbac: Strategy = { validateName: pathSegmentProblems, createsOnUpdate: true };

export const roleStrategy: Strategy = rbac;

export const bindingStrategy: Strategy = {
  ...rbac,
  setDefaults: (object) => {
    const role = treeAt(object, "roleRef");
    if (role && !textAt(role, "apiGroup")) role["apiGroup"] = rbacGroup;
    for (const subject of listAt(object, "subjects").filter(isTree)) {
      if (subject["kind"] === "User" || subject["kind"] === "Group") fill(subject, { apiGroup: rbacGroup });
      if (subject["kind"] === "ServiceAccount") fill(subject, { apiGroup: "" });
      if (subject["apiGroup"] === "") delete subject["apiGroup"];
    }
  },
  validate: (object, old) => {
    if (old && !jsonEquals(object["roleRef"], old["roleRef"]))
      return [invalid("roleRef", object["roleRef"], "cannot change roleRef")];
    return textAt(object, "roleRef", "name") === "" ? [required("roleRef.name")] : [];
  },
};
