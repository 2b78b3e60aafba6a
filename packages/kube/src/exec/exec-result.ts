import { parseDocument } from "../parse-answer.ts";
import { errorFromStatus, statusFromDocument } from "../status-error.ts";
import type { OutputBuffer } from "./output-buffer.ts";

/** How a command ended. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Whether more was printed than is kept. */
  readonly truncated: boolean;
}

/** Reads the `Status` that ends a run. A command that failed is a result; a command that could not be run is an error. */
export function resultFromStatus(
  what: string,
  text: string,
  { stdout, stderr }: { readonly stdout: OutputBuffer; readonly stderr: OutputBuffer },
): ExecResult {
  const document = parseDocument(what, text);
  const status = statusFromDocument(500, document);
  const exitCode = document["status"] === "Success" ? 0 : exitCodeOf(status);
  if (exitCode === undefined) throw errorFromStatus(what, status);
  return {
    exitCode,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    truncated: stdout.isTruncated || stderr.isTruncated,
  };
}

function exitCodeOf({ reason, causes }: ReturnType<typeof statusFromDocument>): number | undefined {
  if (reason !== "NonZeroExitCode") return undefined;
  const code = Number(causes.find((cause) => cause.reason === "ExitCode")?.message);
  return Number.isInteger(code) ? code : undefined;
}
