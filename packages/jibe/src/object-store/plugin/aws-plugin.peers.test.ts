import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TempDir, type TestScope, tempDir, testScope } from "@jibe/testkit";
import { peerProgram, startVersitygw, type Versitygw } from "@jibe/testkit/peers";
import { afterAll, beforeAll } from "vitest";
import { type Fault, type FaultyProxy, startFaultyProxy, times } from "../s3/test/faulty-proxy.ts";
import { verifyObjectStore } from "../verify-object-store.ts";
import { type StoreFault, verifyUnderFaults } from "../verify-under-faults.ts";
import { openPluginStore } from "./test/open-plugin-store.ts";

const full = process.env["JIBE_FULL"] === "1";
const mebibyte = 1024 * 1024;

let scope: TestScope;
let program: string;
let server: Versitygw;
let proxy: FaultyProxy;
let folder: TempDir;
let credentialsFile: string;

beforeAll(async () => {
  scope = testScope();
  program = await peerProgram("velero-plugin-for-aws", scope);
  server = await startVersitygw(scope);
  proxy = await startFaultyProxy(server.url);
  folder = await tempDir("aws-plugin");
  credentialsFile = join(folder.path, "cloud");
  const keys = `aws_access_key_id=${server.accessKey}\naws_secret_access_key=${server.secretKey}\n`;
  await writeFile(credentialsFile, `[default]\n${keys}`);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

/** Velero's own plugin in its process, which talks to a real S3 server at this address. */
const open = (s3Url: string) => {
  const { bucket, region } = server;
  const config = { region, s3Url, s3ForcePathStyle: "true", checksumAlgorithm: "" };
  const location = { provider: "aws", bucket, prefix: randomBytes(6).toString("hex"), credentialsFile };
  return openPluginStore(program, location, () => config);
};

verifyObjectStore("Velero's plugin for AWS on a real S3 server", () => open(server.url), {
  manyKeys: full ? 100_000 : 60,
  streamBytes: (full ? 1024 : 16) * mebibyte,
  timeoutMs: full ? 1_800_000 : 120_000,
});

/** Spoils the first requests that carry content; the plugin itself sends a request three times. */
const spoilt = (fault: Fault, get: StoreFault["get"] = "done"): StoreFault => ({
  begin: () => proxy.spoil(times(2, fault, ({ method }) => method !== "POST")),
  put: "done",
  get,
});

verifyUnderFaults("Velero's plugin for AWS behind a bad line", {
  open: () => open(proxy.url),
  end: () => proxy.spoil(() => undefined),
  met: () => proxy.spoilt,
  faults: {
    "two resets": spoilt("reset"),
    "two answers 500": spoilt("error"),
    "two slow answers": spoilt("slow"),
    // A plugin that has begun to hand on an object cannot begin again; then the reading fails.
    "two partial transfers": spoilt("partial", "Internal"),
  },
  objectBytes: 6 * mebibyte,
});
