import { AppError } from "@jibe/base";
import { expect, test } from "vitest";
import { type S3Settings, s3SettingsFrom } from "./s3-settings.ts";

const defaults: S3Settings = { forcePathStyle: false, insecureSkipTlsVerify: false, checksumAlgorithm: "CRC32" };

const cases: Record<string, { config: Record<string, string>; want: S3Settings }> = {
  "need nothing": { config: {}, want: defaults },
  "are read from every key of Velero's plugin": {
    config: {
      region: "eu-central-1",
      s3Url: "https://s3.example:9000",
      publicUrl: "https://public.example",
      s3ForcePathStyle: "true",
      profile: "backup",
      credentialsFile: "/credentials/cloud",
      kmsKeyId: "alias/velero",
      serverSideEncryption: "aws:kms",
      checksumAlgorithm: "SHA256",
      insecureSkipTLSVerify: "1",
      caCert: "PEM",
      tagging: "a=b&c=d",
      bucket: "b",
      prefix: "p",
    },
    want: {
      region: "eu-central-1",
      s3Url: "https://s3.example:9000",
      publicUrl: "https://public.example",
      forcePathStyle: true,
      profile: "backup",
      credentialsFile: "/credentials/cloud",
      kmsKeyId: "alias/velero",
      serverSideEncryption: "aws:kms",
      checksumAlgorithm: "SHA256",
      insecureSkipTlsVerify: true,
      caCert: "PEM",
      tagging: "a=b&c=d",
    },
  },
  "take an empty checksum algorithm for none": {
    config: { checksumAlgorithm: "" },
    want: { forcePathStyle: false, insecureSkipTlsVerify: false },
  },
  "take an empty value for an absent one": { config: { region: "", s3Url: "" }, want: defaults },
};
for (const [name, { config, want }] of Object.entries(cases)) {
  test(`S3 settings ${name}`, () => expect(s3SettingsFrom(config)).toEqual(want));
}

const refusals: Record<string, { config: Record<string, string>; says: string }> = {
  "an unknown key": { config: { regoin: "x" }, says: '"regoin"' },
  "a URL without scheme": { config: { s3Url: "minio:9000" }, says: "http://" },
  "a boolean that is none": { config: { s3ForcePathStyle: "yes" }, says: "true or false" },
  "an unknown checksum": { config: { checksumAlgorithm: "MD5" }, says: "CRC32" },
  "two kinds of key": { config: { kmsKeyId: "a", customerKeyEncryptionFile: "/b" }, says: "exclude each other" },
  "a key in a Secret": { config: { customerKeyEncryptionSecret: "a/b" }, says: "customerKeyEncryptionFile" },
};
for (const [name, { config, says }] of Object.entries(refusals)) {
  test(`S3 settings refuse ${name}`, () => {
    expect(() => s3SettingsFrom(config)).toThrow(AppError);
    expect(() => s3SettingsFrom(config)).toThrow(says);
  });
}
