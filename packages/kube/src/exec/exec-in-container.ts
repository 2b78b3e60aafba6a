import { AppError, type Scope, withDeadline } from "@jibe/base";
import type { Transport } from "../http/transport.ts";
import { errorFromNetwork, errorFromResponse } from "../status-error.ts";
import { type ExecResult, resultFromStatus } from "./exec-result.ts";
import { openExecSocket } from "./exec-socket.ts";
import { OutputBuffer } from "./output-buffer.ts";

export interface ExecOptions {
  readonly namespace: string;
  readonly pod: string;
  /** May be left out when the pod has only one. */
  readonly container?: string | undefined;
  readonly command: readonly string[];
  /** Sent to the command, then its input is closed; without it the command has no input. */
  readonly stdin?: Uint8Array | string | undefined;
  /** How long the command may take; five minutes unless given. The server is not told to end it, only left. */
  readonly timeoutMs?: number | undefined;
  /** How much of each stream is kept; a megabyte unless given. */
  readonly maxOutputBytes?: number | undefined;
}

const defaultTimeoutMs = 300_000;
const defaultMaxOutputBytes = 1024 * 1024;

/** Runs a command in a container and collects what it prints. */
export async function execInContainer(transport: Transport, options: ExecOptions, scope: Scope): Promise<ExecResult> {
  const { timeoutMs = defaultTimeoutMs, maxOutputBytes = defaultMaxOutputBytes, pod, namespace } = options;
  const what = `cannot run ${JSON.stringify(options.command[0] ?? "")} in pod ${JSON.stringify(`${namespace}/${pod}`)}`;
  if (options.command.length === 0) throw new AppError("InvalidArgument", `${what}: there is no command`);
  const output = { stdout: new OutputBuffer(maxOutputBytes), stderr: new OutputBuffer(maxOutputBytes) };
  try {
    const limit = { ms: timeoutMs, clock: transport.clock, what: "the command" };
    return await withDeadline(limit, scope, (inner) => runOnce(transport, { ...options, what, output }, inner));
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!(error instanceof AppError) || error.code !== "DeadlineExceeded") throw error;
    const fields = { stdout: output.stdout.tail(), stderr: output.stderr.tail() };
    throw new AppError("DeadlineExceeded", `${what}: it took longer than ${timeoutMs} ms`, { cause: error, fields });
  }
}

interface Run extends ExecOptions {
  readonly what: string;
  readonly output: { readonly stdout: OutputBuffer; readonly stderr: OutputBuffer };
}

async function runOnce(transport: Transport, run: Run, scope: Scope): Promise<ExecResult> {
  const { what, output, stdin } = run;
  for (let renewed = false; ; renewed = true) {
    const parts = await transport.upgradeParts(scope);
    const ending = await openExecSocket({ ...parts, path: execPath(run), stdin, output }, scope);
    if (ending.kind === "status") return resultFromStatus(what, ending.text, output);
    if (ending.kind === "refused") {
      if (ending.response.status === 401 && !renewed && (await parts.renew())) continue;
      throw errorFromResponse(what, ending.response);
    }
    if (ending.kind === "unreachable") throw errorFromNetwork(what, parts.base, ending.error);
    throw new AppError("Unavailable", `${what}: the connection ended before the command did`, {
      fields: { stdout: output.stdout.tail(), stderr: output.stderr.tail() },
    });
  }
}

function execPath({ namespace, pod, container, command, stdin }: ExecOptions): string {
  const query = new URLSearchParams({ stdout: "true", stderr: "true" });
  if (stdin !== undefined) query.set("stdin", "true");
  if (container) query.set("container", container);
  for (const word of command) query.append("command", word);
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec?${query}`;
}
