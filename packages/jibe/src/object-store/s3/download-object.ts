import { addAbortSignal, type Readable } from "node:stream";
import { AppError, backoffMs, isRetriable, type RetryPolicy, type Scope } from "@jibe/base";
import { s3Error } from "./s3-error.ts";
import type { S3Target } from "./upload-object.ts";

/**
 * Reads an object as a stream. When the connection breaks in the middle, reading goes on from there, provided that the object
 * is still the same; a body shorter than announced counts as broken.
 */
export async function* downloadObject(
  target: S3Target,
  { key, doing, policy }: { readonly key: string; readonly doing: string; readonly policy: RetryPolicy },
  scope: Scope,
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  let total: number | undefined;
  let version: string | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await request(target, key, { offset, version }, scope);
      total ??= response.ContentLength;
      version ??= response.ETag;
      const body = addAbortSignal(scope.signal, response.Body as Readable);
      for await (const chunk of body) {
        offset += chunk.length;
        attempt = 0;
        yield chunk;
      }
      if (total === undefined || offset >= total) return;
      throw new AppError("Unavailable", `cannot ${doing}: it ended after ${offset} of ${total} bytes`);
    } catch (cause) {
      scope.signal.throwIfAborted();
      const error = s3Error(doing, cause);
      if (total !== undefined && offset >= total && isRetriable(error)) return; // it broke after the last byte
      if (!isRetriable(error) || attempt + 1 >= policy.attempts) throw error;
      await policy.clock.sleep(backoffMs(attempt, policy), scope);
    }
  }
}

async function request(
  { s3, client, bucket, parameters }: S3Target,
  key: string,
  { offset, version }: { readonly offset: number; readonly version: string | undefined },
  { signal }: Scope,
) {
  const rest = offset === 0 ? {} : { Range: `bytes=${offset}-`, ...(version ? { IfMatch: version } : {}) };
  const command = new s3.GetObjectCommand({ ...parameters.reading, Bucket: bucket, Key: key, ...rest });
  return client.send(command, { abortSignal: signal });
}
