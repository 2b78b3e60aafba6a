import { randomBytes } from "node:crypto";
import { type TestScope, testScope } from "@jibe/testkit";
import { peerProgram } from "@jibe/testkit/peers";
import { afterAll, beforeAll } from "vitest";
import { type Fault, times } from "../s3/test/faulty-proxy.ts";
import { type S3Site, startS3Site } from "../s3/test/s3-site.ts";
import { verifyObjectStore } from "../verify-object-store.ts";
import { type StoreFault, verifyUnderFaults } from "../verify-under-faults.ts";
import { openPluginStore } from "./test/open-plugin-store.ts";

const full = process.env["JIBE_FULL"] === "1";
const mebibyte = 1024 * 1024;

let scope: TestScope;
let program: string;
let site: S3Site;

beforeAll(async () => {
  scope = testScope();
  program = await peerProgram("velero-plugin-for-aws", scope);
  site = await startS3Site(scope);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

/** Velero's own plugin in its process, which talks to a real S3 server at this address. */
const open = (s3Url: string) => {
  const { server, credentialsFile } = site;
  const { bucket, region } = server;
  const config = { region, s3Url, s3ForcePathStyle: "true", profile: "backup", checksumAlgorithm: "" };
  const location = { provider: "aws", bucket, prefix: randomBytes(6).toString("hex"), credentialsFile };
  return openPluginStore(program, location, () => config);
};

verifyObjectStore("Velero's plugin for AWS on a real S3 server", () => open(site.server.url), {
  manyKeys: full ? 5_000 : 60, // several pages of S3
  streamBytes: (full ? 1024 : 16) * mebibyte,
  timeoutMs: full ? 1_800_000 : 120_000,
});

/** Spoils the first request that carries content; the plugin itself sends a request again, after a second or so. */
const spoilt = (fault: Fault, get: StoreFault["get"] = "done"): StoreFault => ({
  begin: () => site.proxy.spoil(times(1, fault, ({ method }) => method !== "POST")),
  put: "done",
  get,
});

verifyUnderFaults("Velero's plugin for AWS behind a bad line", {
  open: () => open(site.proxy.url),
  end: () => site.proxy.spoil(() => undefined),
  met: () => site.proxy.spoilt,
  faults: {
    "a reset": spoilt("reset"),
    "an answer 500": spoilt("error"),
    "a slow answer": spoilt("slow"),
    // A plugin that has begun to hand on an object cannot begin again; then the reading fails.
    "a partial transfer": spoilt("partial", "Internal"),
  },
  objectBytes: 6 * mebibyte,
});
