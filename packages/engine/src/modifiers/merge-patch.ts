import { cloneJson, isRawNumber, jsonEquals, setOwn } from "@jibe/base";

/** Applies a JSON merge patch (RFC 7396) to a copy: null removes, objects merge, everything else replaces. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return cloneJson(patch);
  const result: Record<string, unknown> = isPlainObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}

/** The merge patch that turns one object into the other; `undefined` when they are the same. */
export function mergePatchBetween(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setOwn(patch, key, null);
  for (const [key, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    if (!Object.hasOwn(from, key)) setOwn(patch, key, value);
    else if (isPlainObject(before) && isPlainObject(value)) {
      const inner = mergePatchBetween(before, value);
      if (inner) setOwn(patch, key, inner);
    } else if (!jsonEquals(before, value)) setOwn(patch, key, value);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
