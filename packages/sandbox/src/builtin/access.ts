import { jsonEquals } from "@jibe/base";
import { administrator } from "../api/administrator.ts";
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

const requestHead = "-----BEGIN CERTIFICATE REQUEST-----";

/** Nobody signs here; approving and denying is noted. */
export const certificateRequestStrategy: Strategy = {
  prepareForCreate: (object) => Object.assign(treeAt(object, "spec") ?? {}, administrator),
  validate: (object, old) => {
    const request = textAt(object, "spec", "request");
    if (old || Buffer.from(request, "base64").includes(requestHead)) return [];
    return [invalid("spec.request", request, "PEM block type must be CERTIFICATE REQUEST")];
  },
};
