import type { Backup, Restore } from "@jibe/plugin-sdk/contracts";

/** The JSON of a backup or restore, as plugins get it with every call. */
export type ResourceBytes = (resource: Backup | Restore) => Uint8Array;

/** Encodes each resource once: a run hands the same object to thousands of calls. */
export function resourceBytes(): ResourceBytes {
  const encoder = new TextEncoder();
  const known = new WeakMap<Backup | Restore, Uint8Array>();
  return (resource) => {
    const found = known.get(resource);
    if (found) return found;
    const bytes = encoder.encode(JSON.stringify(resource));
    known.set(resource, bytes);
    return bytes;
  };
}
