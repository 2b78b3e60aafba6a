import type { Readable } from "node:stream";
import type { LogLine } from "@jibe/base";
import { LineSplitter } from "./line-splitter.ts";
import { logLineReader } from "./log-line.ts";
import { OutputTail } from "./output-tail.ts";

/** Reads all that a plugin writes: the first line of standard output, log lines of standard error, and a tail of both. */
export class PluginOutput {
  /** Never rejects; stays pending when the plugin writes nothing. */
  readonly firstLine: Promise<string>;
  readonly #tail = new OutputTail();
  readonly #onLog: (line: LogLine) => void;

  constructor({ stdout, stderr }: { stdout: Readable; stderr: Readable }, onLog: (line: LogLine) => void) {
    this.#onLog = onLog;
    const first = Promise.withResolvers<string>();
    this.firstLine = first.promise;
    let isFirst = true;
    pipeLines(stdout, (line) => {
      if (isFirst) first.resolve(line);
      else this.addPlain(line);
      isFirst = false;
    });
    const read = logLineReader();
    pipeLines(stderr, (line) => this.#add(read(line)));
  }

  /** A line that carries no level of its own. */
  addPlain(line: string): void {
    this.#add({ level: "debug", message: line, fields: {} });
  }

  lastLines(): readonly string[] {
    return this.#tail.lines();
  }

  /** The last lines, to be put behind an error's text. */
  quote(): string {
    const lines = this.lastLines();
    return lines.length === 0 ? "; it wrote nothing" : `; its last output was:\n${lines.join("\n")}`;
  }

  #add(line: LogLine): void {
    this.#tail.add(line.message);
    this.#onLog(line);
  }
}

function pipeLines(stream: Readable, onLine: (line: string) => void): void {
  const splitter = new LineSplitter(onLine);
  stream.on("data", (chunk: Buffer) => splitter.write(chunk));
  stream.on("end", () => splitter.end());
  stream.on("error", () => {}); // the process is gone; its exit is what counts
}
