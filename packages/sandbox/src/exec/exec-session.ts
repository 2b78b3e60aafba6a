import { messageOf } from "@jibe/base";
import type { WebSocket } from "ws";
import type { ExecHandler, ExecRequest } from "../workloads/exec-handler.ts";

/** The channels of a session: the first byte of each message. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

export interface Session {
  readonly request: Omit<ExecRequest, "stdin">;
  readonly hasStdin: boolean;
  readonly isTty: boolean;
}

/** Runs a command for a client that is connected by a WebSocket; ends the connection with the command's result. */
export async function runSession(
  socket: WebSocket,
  { request, hasStdin, isTty }: Session,
  handler: ExecHandler,
): Promise<void> {
  const closed = new AbortController();
  const send = (to: number, chunk: Uint8Array | string) => {
    if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.of(to), Buffer.from(chunk as string)]));
  };
  const stdin = stdinOf(socket, hasStdin);
  socket.on("close", () => closed.abort());
  socket.on("error", () => closed.abort());
  try {
    const output = {
      stdout: (chunk: Uint8Array | string) => send(channel.stdout, chunk),
      stderr: (chunk: Uint8Array | string) => send(isTty ? channel.stdout : channel.stderr, chunk),
    };
    const code = await handler({ ...request, stdin }, output, { signal: closed.signal });
    send(channel.error, JSON.stringify(code === 0 ? { metadata: {}, status: "Success" } : exited(code)));
  } catch (error) {
    if (closed.signal.aborted) return;
    send(channel.error, JSON.stringify(failed(messageOf(error))));
  } finally {
    socket.close(1000);
  }
}

/** What the client types, until it closes the channel or goes away. */
async function* stdinOf(socket: WebSocket, isWanted: boolean): AsyncGenerator<Uint8Array> {
  if (!isWanted) return;
  const chunks: Buffer[] = [];
  let isEnded = false;
  let wake = () => {};
  socket.on("message", (message: Buffer) => {
    if (message[0] === channel.stdin) chunks.push(message.subarray(1));
    else if (message[0] === channel.close && message[1] === channel.stdin) isEnded = true;
    wake();
  });
  socket.on("close", () => {
    isEnded = true;
    wake();
  });
  for (;;) {
    const next = chunks.shift();
    if (next) yield next;
    else if (isEnded) return;
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}

const exited = (code: number) => ({
  metadata: {},
  status: "Failure",
  message: `command terminated with non-zero exit code: exit status ${code}`,
  reason: "NonZeroExitCode",
  details: { causes: [{ reason: "ExitCode", message: String(code) }] },
});

const failed = (message: string) => ({
  metadata: {},
  status: "Failure",
  message: `Internal error occurred: ${message}`,
  reason: "InternalError",
  details: { causes: [{ message }] },
  code: 500,
});
