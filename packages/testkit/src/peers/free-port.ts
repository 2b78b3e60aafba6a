import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port of the loopback interface that nothing listens on, for programs that cannot be told to take any. It is free
 * when this returns; the system gives the same number out again only after many others.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a TCP server has no port");
  return address.port;
}
