import type { ApiContext, Target, WriteOptions } from "./context.ts";
import type { KubeObject } from "./kube-object.ts";

/** Notes in `managedFields` who wrote what in an update. */
export function trackFields(
  _context: ApiContext,
  _target: Target,
  { object, old }: { readonly object: KubeObject; readonly old: KubeObject | undefined },
  _options: WriteOptions,
): KubeObject {
  if (old?.metadata.managedFields) object.metadata.managedFields = old.metadata.managedFields;
  return object;
}
