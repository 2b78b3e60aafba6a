import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { AppError, type Scope } from "@jibe/base";

export interface GunzipLimits {
  /** Unpacked bytes for each packed byte, beyond the first 64 MiB unpacked. */
  readonly maxRatio: number;
}

const graceBytes = 64 * 1024 * 1024;

/**
 * Unpacks a gzip stream of one or more members. Corrupt and truncated input fails with `DataLoss`, input that unpacks to suspiciously
 * much with `InvalidArgument`; an error of the source itself passes through.
 */
export async function* gunzip(
  source: AsyncIterable<Uint8Array>,
  { maxRatio }: GunzipLimits,
  scope: Pick<Scope, "signal">,
): AsyncGenerator<Uint8Array> {
  let packed = 0;
  let unpacked = 0;
  let sourceError: unknown;
  async function* counted() {
    try {
      for await (const chunk of source) {
        packed += chunk.length;
        yield chunk;
      }
    } catch (error) {
      sourceError = error;
      throw error;
    }
  }
  const unzip = createGunzip({ chunkSize: 256 * 1024 });
  const piping = pipeline(Readable.from(counted(), { objectMode: true, highWaterMark: 4 }), unzip, {
    signal: scope.signal,
  });
  piping.catch(() => {}); // the loop below meets the same error
  try {
    for await (const chunk of unzip) {
      unpacked += chunk.length;
      if (unpacked > graceBytes && unpacked > packed * maxRatio) {
        throw new AppError("InvalidArgument", "archive unpacks to far more than its size allows", {
          fields: { packedBytes: packed, unpackedBytes: unpacked, maxRatio },
        });
      }
      yield chunk;
    }
  } catch (error) {
    scope.signal.throwIfAborted();
    if (sourceError !== undefined) throw sourceError;
    if (error instanceof AppError) throw error;
    throw new AppError("DataLoss", "archive is corrupt or truncated", { cause: error });
  } finally {
    unzip.destroy();
  }
  if (packed === 0) throw new AppError("DataLoss", "archive is empty");
}
