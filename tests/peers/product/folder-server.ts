import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";

export interface FolderServer extends AsyncDisposable {
  readonly url: string;
}

/** Gives out the files of a folder, as a store behind signed URLs does. */
export async function serveFolder(root: string): Promise<FolderServer> {
  const server = createServer((request, response) => {
    readFile(join(root, normalize(decodeURIComponent(request.url ?? "/")))).then(
      (content) => response.writeHead(200).end(content),
      () => response.writeHead(404).end("not found"),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
