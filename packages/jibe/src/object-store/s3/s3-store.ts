import type { ListObjectsV2CommandOutput } from "@aws-sdk/client-s3";
import { type Clock, hasCode, type RetryPolicy, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import { keyPrefix } from "../key-prefix.ts";
import { downloadObject } from "./download-object.ts";
import { createS3Client, loadS3, type S3Limits, s3Parameters } from "./s3-client.ts";
import { s3Error } from "./s3-error.ts";
import type { S3Settings } from "./s3-settings.ts";
import { type S3Target, uploadObject } from "./upload-object.ts";

export interface S3StoreOptions {
  readonly bucket: string;
  readonly prefix: string;
  readonly settings: S3Settings;
  readonly clock: Clock;
  readonly limits?: Partial<S3Limits>;
}

const defaultLimits: S3Limits = { attempts: 5, idleTimeoutMs: 60_000 };

/** A location in S3 or in anything that speaks its protocol. Requests are repeated inside; disposing closes the connections. */
export async function openS3Store(options: S3StoreOptions): Promise<ObjectStore & AsyncDisposable> {
  const { bucket, settings, clock } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const s3 = await loadS3();
  const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
  const parameters = await s3Parameters(settings);
  const client = createS3Client(s3, settings, { url: settings.s3Url, limits });
  const publicClient = settings.publicUrl ? createS3Client(s3, settings, { url: settings.publicUrl, limits }) : client;
  const target: S3Target = { s3, client, bucket, parameters, clock };
  const policy: RetryPolicy = { attempts: limits.attempts, firstDelayMs: 200, maxDelayMs: 5_000, clock };
  const { full, relative } = keyPrefix(options.prefix);
  const named = (doing: string, key: string) => `${doing} ${JSON.stringify(key)} in bucket "${bucket}"`;
  return {
    get: (key, scope) => downloadObject(target, { key: full(key), doing: named("read", key), policy }, scope),
    put: (key, body, scope) =>
      translated(named("store", key), scope, () => uploadWithOwnErrors(target, full(key), body(), scope)),
    exists: (key, scope) => translated(named("look for", key), scope, () => objectExists(target, full(key), scope)),
    delete: (key, scope) =>
      translated(named("delete", key), scope, async () => {
        const command = new s3.DeleteObjectCommand({ Bucket: bucket, Key: full(key) });
        await client.send(command, { abortSignal: scope.signal });
      }),
    async *list(prefix, scope) {
      for await (const page of listPages(target, { Prefix: full(prefix) }, scope)) {
        for (const { Key = "" } of page.Contents ?? []) yield relative(decoded(Key, page));
      }
    },
    async *listPrefixes(prefix, scope) {
      for await (const page of listPages(target, { Prefix: full(prefix), Delimiter: "/" }, scope)) {
        for (const { Prefix = "" } of page.CommonPrefixes ?? []) yield relative(decoded(Prefix, page));
      }
    },
    signedUrl: (key, ttlMs, scope) =>
      translated(named("sign a URL of", key), scope, () => {
        const command = new s3.GetObjectCommand({ ...parameters.reading, Bucket: bucket, Key: full(key) });
        return getSignedUrl(publicClient, command, { expiresIn: Math.max(1, Math.floor(ttlMs / 1000)) });
      }),
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      publicClient.destroy();
    },
  };
}

async function translated<T>(doing: string, { signal }: Scope, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof BodyFailure ? error.cause : s3Error(doing, error);
  }
}

/** Carries an error of the content's source past the translation, which would take it for one of S3. */
class BodyFailure extends Error {
  constructor(cause: unknown) {
    super("the content could not be read", { cause });
  }
}

async function uploadWithOwnErrors(target: S3Target, key: string, source: AsyncIterable<Uint8Array>, scope: Scope) {
  async function* body() {
    try {
      yield* source;
    } catch (cause) {
      throw new BodyFailure(cause);
    }
  }
  await uploadObject(target, { key, body: body() }, scope);
}

async function objectExists({ s3, client, bucket, parameters }: S3Target, key: string, { signal }: Scope) {
  try {
    const command = new s3.HeadObjectCommand({ ...parameters.reading, Bucket: bucket, Key: key });
    await client.send(command, { abortSignal: signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (hasCode(s3Error("look for", error), "NotFound")) return false;
    throw error;
  }
}

async function* listPages(
  { s3, client, bucket }: S3Target,
  query: { readonly Prefix: string; readonly Delimiter?: string },
  scope: Scope,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  let token: string | undefined;
  do {
    const page: ListObjectsV2CommandOutput = await translated(`list bucket "${bucket}"`, scope, () => {
      const continued = token === undefined ? {} : { ContinuationToken: token };
      // Without this encoding a key with control characters would make the answer invalid XML.
      const input = { ...query, ...continued, Bucket: bucket, EncodingType: "url" as const };
      return client.send(new s3.ListObjectsV2Command(input), { abortSignal: scope.signal });
    });
    yield page;
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

function decoded(text: string, { EncodingType }: ListObjectsV2CommandOutput): string {
  return EncodingType === "url" ? decodeURIComponent(text.replaceAll("+", " ")) : text;
}
