import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server that can be cut: while it is, connections break and no new one is made. */
export interface BreakableLine extends AsyncDisposable {
  readonly port: number;
  cut(): void;
  mend(): void;
}

export async function breakableLine(targetPort: number): Promise<BreakableLine> {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const onwards = connect(targetPort, "127.0.0.1");
    for (const [end, other] of [
      [socket, onwards],
      [onwards, socket],
    ] as const) {
      open.add(end);
      end.on("error", () => {}); // its closing is seen below
      end.on("close", () => {
        open.delete(end);
        other.destroy();
      });
    }
    socket.pipe(onwards).pipe(socket);
  });
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      breakAll();
    },
    mend: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      breakAll();
    },
  };
}
