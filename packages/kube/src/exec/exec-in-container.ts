import { AppError, type Scope } from "@jibe/base";
import type { Transport } from "../http/transport.ts";

export interface ExecOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string | undefined;
  readonly command: readonly string[];
  readonly stdin?: Uint8Array | string | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

export async function execInContainer(
  _transport: Transport,
  _options: ExecOptions,
  _scope: Scope,
): Promise<ExecResult> {
  throw new AppError("Unsupported", "exec is not there yet");
}
