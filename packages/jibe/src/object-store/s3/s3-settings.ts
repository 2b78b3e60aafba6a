import { AppError } from "@jibe/base";

/** A location's configuration for S3, checked. The keys and their meaning are those of Velero's plugin for AWS. */
export interface S3Settings {
  readonly region?: string;
  /** Another server than AWS. */
  readonly s3Url?: string;
  /** The address under which clients outside reach the server; only signed URLs use it. */
  readonly publicUrl?: string;
  readonly forcePathStyle: boolean;
  readonly profile?: string;
  readonly credentialsFile?: string;
  readonly kmsKeyId?: string;
  readonly serverSideEncryption?: string;
  /** A file with the 32 bytes of a key that only the client knows. */
  readonly customerKeyFile?: string;
  /** Absent: no checksums beyond what S3 insists on. */
  readonly checksumAlgorithm?: ChecksumAlgorithm;
  readonly insecureSkipTlsVerify: boolean;
  readonly caCert?: string;
  readonly tagging?: string;
}

const checksumAlgorithms = ["CRC32", "CRC32C", "SHA1", "SHA256", "CRC64NVME"] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

const known: ReadonlySet<string> = new Set([
  "region",
  "s3Url",
  "publicUrl",
  "s3ForcePathStyle",
  "profile",
  "credentialsFile",
  "kmsKeyId",
  "serverSideEncryption",
  "customerKeyEncryptionFile",
  "customerKeyEncryptionSecret",
  "checksumAlgorithm",
  "insecureSkipTLSVerify",
  "caCert",
  "tagging",
  "enableSharedConfig", // the SDK always reads the shared configuration
  "signatureVersion", // there is only version 4 any more
  "bucket",
  "prefix",
]);

/** Reads a location's configuration; whatever is unknown or contradicts itself fails with `InvalidArgument`. */
export function s3SettingsFrom(config: Readonly<Record<string, string>>): S3Settings {
  const unknown = Object.keys(config).filter((key) => !known.has(key));
  if (unknown.length > 0) throw invalid(`unknown key ${unknown.map((key) => JSON.stringify(key)).join(", ")}`);
  if (config["customerKeyEncryptionSecret"]) {
    throw new AppError(
      "Unsupported",
      "customerKeyEncryptionSecret is not supported: mount it, set customerKeyEncryptionFile",
    );
  }
  if (config["customerKeyEncryptionFile"] && config["kmsKeyId"]) {
    throw invalid("kmsKeyId and customerKeyEncryptionFile exclude each other");
  }
  const checksum = checksumFrom(config["checksumAlgorithm"]);
  return {
    ...texts(config),
    ...(checksum === undefined ? {} : { checksumAlgorithm: checksum }),
    forcePathStyle: booleanFrom(config, "s3ForcePathStyle"),
    insecureSkipTlsVerify: booleanFrom(config, "insecureSkipTLSVerify"),
  };
}

function texts(config: Readonly<Record<string, string>>): Partial<S3Settings> {
  const named: Record<string, string | undefined> = {
    region: config["region"],
    s3Url: urlFrom(config, "s3Url"),
    publicUrl: urlFrom(config, "publicUrl"),
    profile: config["profile"],
    credentialsFile: config["credentialsFile"],
    kmsKeyId: config["kmsKeyId"],
    serverSideEncryption: config["serverSideEncryption"],
    customerKeyFile: config["customerKeyEncryptionFile"],
    caCert: config["caCert"],
    tagging: config["tagging"],
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined && value !== ""));
}

function urlFrom(config: Readonly<Record<string, string>>, key: string): string | undefined {
  const text = config[key];
  if (!text) return undefined;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw invalid(`${key} ${JSON.stringify(text)} must be a URL that starts with http:// or https://`);
  }
  return text;
}

// The words that Go's ParseBool takes.
function booleanFrom(config: Readonly<Record<string, string>>, key: string): boolean {
  const text = config[key] ?? "";
  if (["", "0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  throw invalid(`${key} must be true or false, not ${JSON.stringify(text)}`);
}

function checksumFrom(text: string | undefined): ChecksumAlgorithm | undefined {
  if (text === undefined) return "CRC32";
  if (text === "") return undefined;
  const algorithm = checksumAlgorithms.find((name) => name === text);
  if (!algorithm) throw invalid(`checksumAlgorithm must be empty or one of ${checksumAlgorithms.join(", ")}`);
  return algorithm;
}

function invalid(why: string): AppError {
  return new AppError("InvalidArgument", `invalid configuration of the S3 location: ${why}`);
}
