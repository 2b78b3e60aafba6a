import { readFile } from "node:fs/promises";
import { rootCertificates } from "node:tls";
import type { GetObjectCommandInput, PutObjectCommandInput, S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import { AppError } from "@jibe/base";
import type { S3Settings } from "./s3-settings.ts";

export interface S3Limits {
  /** How often a request is sent before its failure counts. */
  readonly attempts: number;
  /** How long a connection may be silent. */
  readonly idleTimeoutMs: number;
}

type S3Module = typeof import("@aws-sdk/client-s3");

/** The SDK, loaded only when a location needs it: it costs more than the rest of a command's start. */
export function loadS3(): Promise<S3Module> {
  return import("@aws-sdk/client-s3");
}

/** A client for the server at `url`, or for AWS when there is none. */
export function createS3Client(
  { S3Client }: S3Module,
  settings: S3Settings,
  { url, limits }: { readonly url: string | undefined; readonly limits: S3Limits },
): S3Client {
  const { region, forcePathStyle, profile, checksumAlgorithm } = settings;
  const when = checksumAlgorithm ? "WHEN_SUPPORTED" : "WHEN_REQUIRED";
  const config: S3ClientConfig = {
    region: region ?? "us-east-1",
    followRegionRedirects: region === undefined && url === undefined,
    forcePathStyle,
    maxAttempts: limits.attempts,
    requestChecksumCalculation: when,
    responseChecksumValidation: when,
    requestHandler: {
      connectionTimeout: Math.min(10_000, limits.idleTimeoutMs),
      socketTimeout: limits.idleTimeoutMs,
      httpsAgent: { keepAlive: true, maxSockets: 50, ...tlsOptions(settings) },
      httpAgent: { keepAlive: true, maxSockets: 50 },
    },
    ...(url === undefined ? {} : { endpoint: url }),
    ...(profile === undefined ? {} : { profile }),
  };
  const client = new S3Client(config);
  const { credentialsFile } = settings;
  if (credentialsFile === undefined) return client;
  // The location's own file stands for both of the SDK's files and wins over the environment.
  const { credentialDefaultProvider } = client.config;
  client.destroy();
  const files = { filepath: credentialsFile, configFilepath: credentialsFile, profile: profile ?? "default" };
  return new S3Client({ ...config, credentials: credentialDefaultProvider(files) });
}

function tlsOptions({ caCert, insecureSkipTlsVerify }: S3Settings) {
  return {
    rejectUnauthorized: !insecureSkipTlsVerify,
    ...(caCert === undefined ? {} : { ca: [...rootCertificates, caCert] }),
  };
}

type CustomerKey = Pick<GetObjectCommandInput, "SSECustomerAlgorithm" | "SSECustomerKey">;

/** What every request about an object's content carries. */
export interface S3Parameters {
  readonly reading: CustomerKey;
  readonly writing: Partial<PutObjectCommandInput>;
}

/** The parameters that follow from the settings; reads the customer's key. */
export async function s3Parameters(settings: S3Settings): Promise<S3Parameters> {
  const { kmsKeyId, serverSideEncryption, tagging, checksumAlgorithm } = settings;
  const reading = await customerKey(settings);
  const encryption = kmsKeyId
    ? { ServerSideEncryption: "aws:kms" as const, SSEKMSKeyId: kmsKeyId }
    : { ...(serverSideEncryption ? { ServerSideEncryption: serverSideEncryption as "AES256" } : {}) };
  return {
    reading,
    writing: {
      ...reading,
      ...encryption,
      ...(tagging ? { Tagging: tagging } : {}),
      ...(checksumAlgorithm ? { ChecksumAlgorithm: checksumAlgorithm } : {}),
    },
  };
}

async function customerKey({ customerKeyFile }: S3Settings): Promise<CustomerKey> {
  if (customerKeyFile === undefined) return {};
  const key = await readFile(customerKeyFile).catch((cause: unknown) => {
    throw new AppError("InvalidArgument", `cannot read customerKeyEncryptionFile ${customerKeyFile}`, { cause });
  });
  if (key.length !== 32) {
    const size = `it has ${key.length} bytes instead of 32`;
    throw new AppError("InvalidArgument", `invalid customerKeyEncryptionFile ${customerKeyFile}: ${size}`);
  }
  return { SSECustomerAlgorithm: "AES256", SSECustomerKey: key.toString("base64") };
}
