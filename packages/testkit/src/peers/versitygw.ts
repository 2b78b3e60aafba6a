import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { tempDir } from "../temp-dir.ts";
import { peerProgram } from "./build-peers.ts";
import { freePort } from "./free-port.ts";
import { httpCall } from "./http-probe.ts";
import { startPeerProcess, untilReady } from "./peer-process.ts";

/** A real S3 server that checks signatures, with one empty bucket. */
export interface Versitygw extends AsyncDisposable {
  readonly url: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
  /** The folder that holds the bucket's objects as files. */
  readonly bucketDir: string;
  readonly pid: number;
  logs(): string;
}

/** Starts the S3 server on the loopback interface with storage of its own. */
export async function startVersitygw(scope: Scope): Promise<Versitygw> {
  await using stack = new AsyncDisposableStack();
  const program = await peerProgram("versitygw", scope);
  const { path: dir } = stack.use(await tempDir("versitygw"));
  const bucket = "backups";
  const bucketDir = join(dir, "objects", bucket);
  await mkdir(bucketDir, { recursive: true });
  await mkdir(join(dir, "metadata"));
  const [accessKey, secretKey] = [randomBytes(10).toString("hex"), randomBytes(20).toString("hex")];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const peer = stack.use(
    await startPeerProcess({
      program,
      args: ["--port", `127.0.0.1:${port}`, "posix", "--sidecar", join(dir, "metadata"), join(dir, "objects")],
      dir,
      env: { ROOT_ACCESS_KEY_ID: accessKey, ROOT_SECRET_ACCESS_KEY: secretKey },
    }),
  );
  // Without a signature any answer of the server means that it is there.
  await untilReady(peer, async (inner) => (await httpCall({ url }, inner)).status > 0, scope);
  const owned = stack.move();
  return {
    url,
    region: "us-east-1",
    accessKey,
    secretKey,
    bucket,
    bucketDir,
    pid: peer.pid,
    logs: peer.logs,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
