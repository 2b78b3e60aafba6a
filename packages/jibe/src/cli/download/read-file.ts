import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError, hasCode, parseJson, type Scope } from "@jibe/base";
import type { DownloadTargetKind } from "../../api/resources.ts";
import { type DownloadOptions, downloadFile } from "./download-file.ts";

type Target = { readonly kind: DownloadTargetKind; readonly name: string };

/** The unpacked text of a file, in pieces as they come. */
export async function* downloadText(target: Target, options: DownloadOptions, scope: Scope): AsyncGenerator<string> {
  const unpacked = createGunzip();
  const source = Readable.from(downloadFile(target, options, scope));
  source.once("error", (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  const decoder = new TextDecoder();
  try {
    for await (const chunk of unpacked) yield decoder.decode(chunk as Uint8Array, { stream: true });
  } finally {
    source.destroy();
    unpacked.destroy();
  }
  yield decoder.decode();
}

/** A JSON file, or nothing when it does not exist. */
export async function downloadJson<T>(target: Target, options: DownloadOptions, scope: Scope): Promise<T | undefined> {
  let text = "";
  try {
    for await (const piece of downloadText(target, options, scope)) text += piece;
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
  try {
    return parseJson(text) as T;
  } catch (cause) {
    throw new AppError("DataLoss", `${target.kind} of ${JSON.stringify(target.name)} is not valid JSON`, { cause });
  }
}
