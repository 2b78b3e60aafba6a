import { styleText } from "node:util";

export type Style = "green" | "red" | "yellow" | "bold" | "dim" | "cyan";

/** Where a command writes. Styles vanish where the reader is no terminal or asked for none. */
export interface Output {
  /** One line on standard output. */
  line(text?: string): void;
  /** Text on standard output as it is. */
  text(text: string): void;
  /** One line on standard error. */
  note(text: string): void;
  style(style: Style, text: string): string;
  /** Set when standard output is a terminal: what live views need. */
  readonly terminal?: Terminal;
}

export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  /** Raw text, control sequences included. */
  write(text: string): void;
  onResize(listener: () => void): Disposable;
}

/** An output over two writable streams. */
export function outputTo(
  stdout: NodeJS.WriteStream | NodeJS.WritableStream,
  stderr: NodeJS.WritableStream,
  { colors }: { readonly colors: boolean },
): Output {
  const terminal = "isTTY" in stdout && stdout.isTTY ? terminalOf(stdout) : undefined;
  return {
    line: (text = "") => void stdout.write(`${text}\n`),
    text: (text) => void stdout.write(text),
    note: (text) => void stderr.write(`${text}\n`),
    style: (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text),
    ...(terminal ? { terminal } : {}),
  };
}

function terminalOf(stream: NodeJS.WriteStream): Terminal {
  return {
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    write: (text) => void stream.write(text),
    onResize: (listener) => {
      stream.on("resize", listener);
      return { [Symbol.dispose]: () => void stream.off("resize", listener) };
    },
  };
}
