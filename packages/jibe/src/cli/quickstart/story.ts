import type { Clock } from "@jibe/base";
import type { Output } from "../output.ts";
import { printWrapped } from "../print/wrap-text.ts";

const factIndent = 9;

/** Tells a person what happens, step by step, with the time each took. */
export interface Story {
  /** Begins a chapter. */
  chapter(title: string): void;
  /** Runs a step and tells how long it took. */
  step<T>(what: string, work: () => Promise<T>): Promise<T>;
  /** A fact worth knowing. */
  fact(text: string): void;
  paragraph(text: string): void;
  /** One line as it is. */
  line(text?: string): void;
}

export function createStory(out: Output, clock: Clock): Story {
  let chapter = 0;
  return {
    chapter: (title) => {
      chapter++;
      out.line(`\n${out.style("bold", `${chapter}. ${title}`)}`);
    },
    step: async (what, work) => {
      const began = clock.monotonicMs();
      try {
        const result = await work();
        const seconds = ((clock.monotonicMs() - began) / 1000).toFixed(1);
        const told = `   ${out.style("green", "done")}  ${what} ${out.style("dim", `(${seconds} s)`)}`;
        printWrapped(out, told, { indent: factIndent });
        return result;
      } catch (error) {
        out.line(`   ${out.style("red", "FAIL")}  ${what}`);
        throw error;
      }
    },
    fact: (text) => printWrapped(out, " ".repeat(factIndent) + text, { indent: factIndent }),
    paragraph: (text) => printWrapped(out, text),
    line: (text = "") => out.line(text),
  };
}
