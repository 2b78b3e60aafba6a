import { invalid } from "../api/api-error.ts";
import type { ApiContext, Target } from "../api/context.ts";
import { type DeleteOptions, deleteObject, type Propagation } from "../api/delete-object.ts";
import { encodeWritten, membersOf, prefixesOf } from "../api/encode.ts";
import { type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { listHead, listObjects, numberIn } from "../api/list-objects.ts";
import { invalid as invalidValue, notSupported } from "../schema/field-error.ts";
import { objectOf } from "../storage/entry.ts";
import { type ApiRequest, type ApiResponse, json } from "./api-request.ts";
import { readObject } from "./read-body.ts";
import { dryRunProblems } from "./write-options.ts";

/** Deletes one object. */
export function handleDelete(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const deleted = deleteObject(context, target, deleteOptions(context, request));
  const returnsObject = !deleted.isGone || context.strategyOf(target.type).returnsDeleted;
  if (returnsObject) return { status: 200, body: encodeWritten(target.type, deleted) };
  const { metadata } = "entry" in deleted ? objectOf(deleted.entry) : deleted.object;
  const { group, plural } = target.type;
  return json({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: target.name, ...(group === "" ? {} : { group }), kind: plural, uid: metadata.uid },
  });
}

/** Deletes all objects that a list with the same query would show. */
export function handleDeleteCollection(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const options = deleteOptions(context, request);
  const page = listObjects(context, target, request.query);
  for (const { namespace, name } of page.entries) {
    if (context.store.get(target.type.bucket, namespace === "" ? name : `${namespace}/${name}`)) {
      deleteObject(context, { ...target, namespace, name }, options);
    }
  }
  const { item } = prefixesOf(target.type);
  const items = page.entries.map((entry, index) =>
    Buffer.concat([Buffer.from(index === 0 ? "" : ","), item, membersOf(target.type, entry)]),
  );
  const after = { ...page, revision: context.store.revision };
  return { status: 200, body: Buffer.concat([Buffer.from(listHead(target, after)), ...items, Buffer.from("]}")]) };
}

const bothSet = "orphanDependents and deletionPropagation cannot be both set";
const policies = ["Foreground", "Background", "Orphan"];

function deleteOptions(context: ApiContext, { body, contentType, query }: ApiRequest): DeleteOptions {
  const given: Tree = body.length === 0 ? {} : readObject(context, { body, contentType }, "DeleteOptions");
  const policy = textAt(given, "propagationPolicy") || (query.get("propagationPolicy") ?? "");
  const orphan = given["orphanDependents"] ?? query.get("orphanDependents");
  const preconditions = treeAt(given, "preconditions");
  const grace = given["gracePeriodSeconds"];
  const dryRun = Array.isArray(given["dryRun"]) ? (given["dryRun"] as string[]) : query.getAll("dryRun");
  const problems = [
    ...(policy === "" || policies.includes(policy)
      ? []
      : [notSupported("propagationPolicy", policy, [...policies, "nil"])]),
    ...(policy !== "" && typeof orphan === "boolean" ? [invalidValue("propagationPolicy", policy, bothSet)] : []),
    ...dryRunProblems(dryRun),
  ];
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", problems);
  return {
    gracePeriodSeconds: typeof grace === "number" ? grace : numberIn(query, "gracePeriodSeconds"),
    propagationPolicy: policy === "" ? legacyPolicy(orphan) : (policy as Propagation),
    uid: textAt(preconditions, "uid") || undefined,
    resourceVersion: textAt(preconditions, "resourceVersion") || undefined,
    dryRun: dryRun.length > 0,
  };
}

function legacyPolicy(orphan: unknown): Propagation | undefined {
  if (orphan === true || orphan === "true") return "Orphan";
  return orphan === false || orphan === "false" ? "Background" : undefined;
}
