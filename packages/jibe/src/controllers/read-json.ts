import { AppError, hasCode, parseJson, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";

/** Reads a plain JSON file from a store. Gives nothing when it does not exist. */
export async function readJson<T>(store: ObjectStore, key: string, scope: Scope): Promise<T | undefined> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of store.get(key, scope)) chunks.push(chunk);
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
  try {
    return parseJson(Buffer.concat(chunks).toString("utf8")) as T;
  } catch (cause) {
    throw new AppError("DataLoss", `${JSON.stringify(key)} is not valid JSON`, { cause });
  }
}
