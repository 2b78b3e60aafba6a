import { Writable } from "node:stream";
import { main } from "jibe";

export interface CommandRun {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** The command line in this process: its streams are captured, signals are sent by calling. */
export interface CapturedProcess {
  readonly ended: Promise<CommandRun>;
  output(): string;
  interrupt(): void;
}

export interface CaptureOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Starts `jibe ARGS…`. */
export function startCaptured(args: readonly string[], { env = {} }: CaptureOptions = {}): CapturedProcess {
  const listeners = new Set<() => void>();
  const [out, err] = [captured(), captured()];
  const process = {
    argv: ["node", "jibe", ...args],
    env,
    stdin: { isTTY: false } as unknown as NodeJS.ReadStream,
    stdout: out.stream as unknown as NodeJS.WriteStream,
    stderr: err.stream as unknown as NodeJS.WriteStream,
    on: (_event: string, listener: () => void) => listeners.add(listener),
    off: (_event: string, listener: () => void) => listeners.delete(listener),
  };
  const ended = main(process).then((exitCode) => ({ exitCode, out: out.text(), err: err.text() }));
  ended.catch(() => {}); // seen by whoever awaits it
  return {
    ended,
    output: () => out.text() + err.text(),
    interrupt: () => {
      for (const listener of listeners) listener();
    },
  };
}

function captured(): { readonly stream: Writable; text(): string } {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, callback) => {
      chunks.push(String(chunk));
      callback();
    },
  });
  return { stream, text: () => chunks.join("") };
}
