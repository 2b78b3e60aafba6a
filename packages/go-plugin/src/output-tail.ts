import { startsPanic } from "./log-line.ts";

const maxLines = 30;
const maxLineLength = 500;

/** The last lines a plugin wrote, for the error that says why it died. The head of a Go panic is kept rather than its tail. */
export class OutputTail {
  #lines: string[] = [];
  #panicking = false;

  add(line: string): void {
    if (line === "") return;
    if (startsPanic(line) && !this.#panicking) {
      this.#panicking = true;
      this.#lines = this.#lines.slice(-3);
    }
    if (this.#panicking && this.#lines.length >= maxLines) return;
    this.#lines.push(line.slice(0, maxLineLength));
    if (this.#lines.length > maxLines) this.#lines.shift();
  }

  lines(): readonly string[] {
    return [...this.#lines];
  }
}
