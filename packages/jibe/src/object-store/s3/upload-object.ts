import type { CompletedPart, S3Client } from "@aws-sdk/client-s3";
import { AppError, type Clock, hasCode, mapConcurrent, messageOf, type Scope, withDeadline } from "@jibe/base";
import { type BodyPart, bodyParts, partBytesOf } from "./body-parts.ts";
import type { S3Parameters } from "./s3-client.ts";
import { s3Error } from "./s3-error.ts";

export interface S3Target {
  readonly s3: typeof import("@aws-sdk/client-s3");
  readonly client: S3Client;
  readonly bucket: string;
  readonly parameters: S3Parameters;
  readonly clock: Clock;
}

const partsAtOnce = 3;

/**
 * Stores a stream of unknown length: a short one in one request, a longer one in parts of which a few are in memory. Nothing is
 * visible before the last request succeeded; a failed or stopped upload removes its parts.
 */
export async function uploadObject(
  target: S3Target,
  { key, body }: { readonly key: string; readonly body: AsyncIterable<Uint8Array> },
  scope: Scope,
): Promise<void> {
  const spare: Buffer[] = [];
  const parts = bodyParts(stoppable(body, scope), spare);
  const first = await parts.next();
  if (first.done) throw new AppError("Internal", "a body has at least one part");
  if (first.value.isLast) return putWhole(target, key, first.value.bytes, scope);
  await putParts(target, { key, spare, parts: startingWith(first.value, parts) }, scope);
}

async function putWhole({ s3, client, bucket, parameters }: S3Target, key: string, bytes: Buffer, { signal }: Scope) {
  const command = new s3.PutObjectCommand({ ...parameters.writing, Bucket: bucket, Key: key, Body: bytes });
  await client.send(command, { abortSignal: signal });
}

interface PartsOfUpload {
  readonly key: string;
  readonly spare: Buffer[];
  readonly parts: AsyncIterable<BodyPart>;
}

async function putParts(target: S3Target, { key, spare, parts }: PartsOfUpload, scope: Scope): Promise<void> {
  const { s3, client, bucket, parameters } = target;
  const where = { Bucket: bucket, Key: key };
  const create = new s3.CreateMultipartUploadCommand({ ...parameters.writing, ...where });
  const { UploadId } = await client.send(create, { abortSignal: scope.signal });
  try {
    const sent: CompletedPart[] = [];
    let size = 0;
    const each = async (part: BodyPart, { signal }: Scope) => {
      const { ChecksumAlgorithm, SSECustomerAlgorithm, SSECustomerKey } = parameters.writing;
      const secrets = { ChecksumAlgorithm, SSECustomerAlgorithm, SSECustomerKey };
      const input = { ...secrets, ...where, UploadId, PartNumber: part.number, Body: part.bytes };
      const {
        ETag,
        $metadata: _,
        ...checksums
      } = await client.send(new s3.UploadPartCommand(input), { abortSignal: signal });
      size += part.bytes.length;
      if (part.bytes.length === partBytesOf(part.number)) spare.push(part.bytes);
      return { ETag, PartNumber: part.number, ...checksums };
    };
    for await (const part of mapConcurrent(parts, { limit: partsAtOnce, each }, scope)) sent.push(part);
    const ordered = sent.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    await complete(target, { ...where, UploadId, parts: ordered, size }, scope);
  } catch (error) {
    await abandon(target, { ...where, UploadId }, scope);
    throw error;
  }
}

interface Upload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

async function complete(
  { s3, client, parameters }: S3Target,
  { parts, size, ...where }: Upload & { readonly parts: CompletedPart[]; readonly size: number },
  { signal }: Scope,
): Promise<void> {
  const { reading } = parameters;
  try {
    const input = { ...reading, ...where, MultipartUpload: { Parts: parts } };
    await client.send(new s3.CompleteMultipartUploadCommand(input), { abortSignal: signal });
  } catch (error) {
    // When the answer to a completed upload was lost, the next attempt is told that there is no such upload.
    if (!hasCode(s3Error("complete", error), "NotFound")) throw error;
    const head = await client.send(new s3.HeadObjectCommand({ ...reading, ...where }), { abortSignal: signal });
    if (head.ContentLength !== size || !head.ETag?.includes(`-${parts.length}`)) throw error;
  }
}

/** Removes the parts, also when the scope was stopped: they cost money and nobody sees them. */
async function abandon({ s3, client, clock }: S3Target, upload: Upload, { log }: Scope): Promise<void> {
  const deadline = { ms: 10_000, clock, what: "removing the parts of an upload" };
  const own: Scope = { signal: new AbortController().signal, log };
  try {
    await withDeadline(deadline, own, ({ signal }) =>
      client.send(new s3.AbortMultipartUploadCommand(upload), { abortSignal: signal }),
    );
  } catch (error) {
    log.warn("could not remove the parts of a failed upload", { key: upload.Key, error: messageOf(error) });
  }
}

async function* startingWith(first: BodyPart, rest: AsyncGenerator<BodyPart>): AsyncGenerator<BodyPart> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* stoppable(body: AsyncIterable<Uint8Array>, { signal }: Scope): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  for await (const chunk of body) {
    signal.throwIfAborted();
    yield chunk;
  }
  signal.throwIfAborted();
}
