import { readdir, readFile } from "node:fs/promises";
import { eventually } from "@jibe/testkit";
import type { PeerProcess } from "@jibe/testkit/peers";

/** What a server holds at one moment. */
export interface ServerHealth {
  /** The heap that is in use once all garbage is gone. */
  readonly heapMb: number;
  readonly residentMb: number;
  /** Open files and sockets. */
  readonly handles: number;
}

/** Looks into a server that runs with `--inspect`. */
export interface HealthProbe extends Disposable {
  look(): Promise<ServerHealth>;
}

const megabyte = 1024 * 1024;

export async function probeServer(server: PeerProcess, signal: AbortSignal): Promise<HealthProbe> {
  const address = await eventually(() => /Debugger listening on (ws:\S+)/.exec(server.logs())?.[1], { signal });
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  let last = 0;
  const ask = (method: string) =>
    new Promise<Record<string, number>>((resolve, reject) => {
      const id = ++last;
      const listen = ({ data }: MessageEvent) => {
        const answer = JSON.parse(String(data)) as { id?: number; result?: Record<string, number>; error?: object };
        if (answer.id !== id) return;
        socket.removeEventListener("message", listen);
        if (answer.result) resolve(answer.result);
        else reject(new Error(`${method}: ${JSON.stringify(answer.error)}`));
      };
      socket.addEventListener("message", listen);
      socket.send(JSON.stringify({ id, method }));
    });
  return {
    look: async () => {
      for (let round = 0; round < 2; round++) await ask("HeapProfiler.collectGarbage"); // finalizers free more
      const { usedSize = 0 } = await ask("Runtime.getHeapUsage");
      const status = await readFile(`/proc/${server.pid}/status`, "utf8");
      const residentMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
      return { heapMb: usedSize / megabyte, residentMb, handles: (await readdir(`/proc/${server.pid}/fd`)).length };
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
