import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { tempDir } from "@jibe/testkit";
import { startVersitygw, type Versitygw } from "@jibe/testkit/peers";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";

/** A real S3 server, and the bad line to it. */
export interface S3Site extends AsyncDisposable {
  readonly server: Versitygw;
  readonly proxy: FaultyProxy;
  /** Its profile `backup` has the server's keys, its default one wrong ones. */
  readonly credentialsFile: string;
}

export async function startS3Site(scope: Scope): Promise<S3Site> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startVersitygw(scope));
  const proxy = stack.use(await startFaultyProxy(server.url));
  const folder = stack.use(await tempDir("s3"));
  const credentialsFile = join(folder.path, "cloud");
  const profile = (name: string, secret: string) =>
    `[${name}]\naws_access_key_id=${server.accessKey}\naws_secret_access_key=${secret}\n`;
  await writeFile(credentialsFile, profile("default", "wrong") + profile("backup", server.secretKey));
  const owned = stack.move();
  return { server, proxy, credentialsFile, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
