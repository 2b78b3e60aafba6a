import type { Output, Terminal } from "../output.ts";
import type { Span } from "./progress-lines.ts";

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
const clearBelow = "\u001b[J";
// A terminal that was made narrower a moment ago must not wrap what was measured for its old width.
const wrapOff = "\u001b[?7l";
const wrapOn = "\u001b[?7h";
const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : "");

/**
 * A few lines at the bottom of a terminal that are drawn again and again. Disposing takes them away. The hidden cursor rests
 * where they begin, which holds also when a resized terminal wraps them anew.
 */
export class LiveLines implements Disposable {
  readonly #terminal: Terminal;
  readonly #style: Output["style"];
  #isDrawn = false;

  constructor(terminal: Terminal, style: Output["style"]) {
    this.#terminal = terminal;
    this.#style = style;
  }

  /** Draws lines, each shorter than the terminal is wide. */
  draw(lines: readonly (readonly Span[])[]): void {
    const text = lines.map((spans) => spans.map((span) => this.#styled(span)).join(""));
    this.#terminal.write(`${hideCursor}${wrapOff}\r${clearBelow}${text.join("\n")}\r${up(lines.length - 1)}${wrapOn}`);
    this.#isDrawn = true;
  }

  [Symbol.dispose](): void {
    if (this.#isDrawn) this.#terminal.write(`\r${clearBelow}${showCursor}`);
    this.#isDrawn = false;
  }

  #styled({ text, style }: Span): string {
    return style ? this.#style(style, text) : text;
  }
}
