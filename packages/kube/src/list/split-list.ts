import { ItemScanner, type ItemType, type RawItem } from "./raw-item.ts";
import { isKey, scanArray, scanObject, skipSpace, skipValue, unreadable } from "./scan-json.ts";

/** A list's answer, cut into its items. */
export interface SplitList {
  readonly items: readonly RawItem[];
  readonly resourceVersion: string;
  /** Where the next page begins; empty on the last. */
  readonly continueToken: string;
  /** How many items follow, if the server told. */
  readonly remaining: number | undefined;
}

/** Cuts a list's answer into its items without parsing them. */
export function splitList(body: Uint8Array, type: ItemType): SplitList {
  const page = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length);
  const scanner = new ItemScanner(page, type);
  const items: RawItem[] = [];
  let metadata: Readonly<Record<string, unknown>> = {};
  const start = skipSpace(page, 0);
  if (page[start] !== 0x7b) throw unreadable(start);
  scanObject(page, start, (keyStart, keyEnd, at) => {
    if (isKey(page, keyStart, keyEnd, "items")) {
      return scanArray(page, at, (itemAt) => {
        const { item, end } = scanner.scan(itemAt);
        items.push(item);
        return end;
      });
    }
    const end = skipValue(page, at);
    if (isKey(page, keyStart, keyEnd, "metadata")) metadata = JSON.parse(page.toString("utf8", at, end)) ?? {};
    return end;
  });
  const { resourceVersion, continue: token, remainingItemCount } = metadata;
  return {
    items,
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    continueToken: typeof token === "string" ? token : "",
    remaining: typeof remainingItemCount === "number" ? remainingItemCount : undefined,
  };
}
