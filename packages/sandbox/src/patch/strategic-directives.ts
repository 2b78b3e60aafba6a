import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { PatchError } from "./patch-error.ts";

export const patchDirective = "$patch";
export const retainKeysDirective = "$retainKeys";
export const deletePrefix = "$deleteFromPrimitiveList";
export const orderPrefix = "$setElementOrder";

const badFormat: Readonly<Record<string, string>> = {
  [deletePrefix]: "invalid patch format of primitive list",
  [orderPrefix]: "invalid patch format of setElementOrder list",
};

/** The field that `$setElementOrder/ports` and its like speak of. */
export function targetOfDirective(directive: string, prefix: string): string {
  if (directive.startsWith(`${prefix}/`)) return directive.slice(prefix.length + 1);
  throw new PatchError("BadRequest", badFormat[prefix] ?? `fail to find unknown prefix "${prefix}" in ${directive}`);
}

/** Carries out `$retainKeys`: members of the original that it does not name go; the patch may set only those it names. */
export function applyRetainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeysDirective)) return;
  const names = patch[retainKeysDirective];
  delete patch[retainKeysDirective];
  const invalid = () => new PatchError("BadRequest", "invalid patch format of retainKeys");
  if (!Array.isArray(names)) throw invalid();
  for (const [name, value] of Object.entries(patch)) {
    const isDirective = name.startsWith(deletePrefix) || name.startsWith(orderPrefix);
    if (value !== null && !isDirective && !names.includes(name)) throw invalid();
  }
  for (const name of Object.keys(original)) if (!names.includes(name)) delete original[name];
}

/** A copy without the objects that carry `$patch`; undefined when the value itself is one. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const kept = withoutDirectives(member);
    if (kept === undefined) delete value[key];
    else Object.defineProperty(value, key, { value: kept, enumerable: true, configurable: true, writable: true });
  }
  return value;
}
