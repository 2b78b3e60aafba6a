import { apiVersionOf, type ResourceType } from "../registry/resource-type.ts";
import { type Entry, memberBytes, objectOf } from "../storage/entry.ts";
import type { Written } from "./create-object.ts";

const prefixes = new WeakMap<ResourceType, { readonly whole: Buffer; readonly item: Buffer }>();
const open = Buffer.from("{");

/** How an object of a type starts: alone, and as an item of a list, where built-in types leave out what they are. */
export function prefixesOf(type: ResourceType): { readonly whole: Buffer; readonly item: Buffer } {
  let found = prefixes.get(type);
  if (!found) {
    const whole = Buffer.from(
      `{"kind":${JSON.stringify(type.kind)},"apiVersion":${JSON.stringify(apiVersionOf(type))},`,
    );
    found = { whole, item: type.custom ? whole : open };
    prefixes.set(type, found);
  }
  return found;
}

/** The bytes of a stored object in the form of a version. */
export function membersOf({ conversion }: ResourceType, entry: Entry): Buffer {
  return conversion ? memberBytes(conversion.fromStored(objectOf(entry))) : entry.bytes;
}

/** The JSON of a stored object in one of its versions. */
export function encodeEntry(type: ResourceType, entry: Entry): Buffer {
  return Buffer.concat([prefixesOf(type).whole, membersOf(type, entry)]);
}

/** The JSON of what a write resulted in. */
export function encodeWritten(type: ResourceType, written: Written): Buffer {
  return "entry" in written
    ? encodeEntry(type, written.entry)
    : Buffer.from(JSON.stringify(type.conversion?.fromStored(written.object) ?? written.object));
}
