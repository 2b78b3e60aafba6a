import { objectOf } from "../storage/entry.ts";
import { forbidden, notFound } from "./api-error.ts";
import type { ApiContext, Target } from "./context.ts";

/** Refuses new objects in a namespace that does not exist or is being deleted. */
export function checkNamespaceTakesObjects(context: ApiContext, { type, namespace }: Target, name: string): void {
  if (!type.namespaced || namespace === "") return;
  const entry = context.store.get("namespaces", namespace);
  if (!entry) throw notFound({ group: "", plural: "namespaces" }, namespace);
  if (!entry.bytes.includes('"deletionTimestamp"')) return;
  if (!objectOf(entry).metadata.deletionTimestamp) return;
  throw forbidden(type, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}
