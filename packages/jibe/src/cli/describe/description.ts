import { alignTabs } from "../print/tab-writer.ts";

/** Collects the lines of a description; tabs are aligned when it is printed. */
export class Description {
  #text = "";

  /** `Label:` and its value. */
  field(label: string, value: string | number | boolean): this {
    return this.line(`${label}:\t${value}`);
  }

  line(text = ""): this {
    this.#text += `${text}\n`;
    return this;
  }

  /** A heading and lines below it, one tab further in. */
  block(heading: string, lines: readonly string[]): this {
    this.line(`${heading}:`);
    for (const line of lines) this.line(`\t${line}`);
    return this;
  }

  /** Pairs under one label, the first beside it. */
  pairs(label: string, values: Readonly<Record<string, string>> | undefined): this {
    const lines = Object.entries(values ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .sort();
    if (lines.length === 0) return this.field(label, "<none>");
    for (const [index, line] of lines.entries()) this.line(index === 0 ? `${label}:\t${line}` : `\t${line}`);
    return this;
  }

  toString(): string {
    return alignTabs(this.#text);
  }
}

/** A list for a value: `a, b`, or what stands for an empty one. */
export function listText(items: readonly string[] | undefined, empty = "<none>"): string {
  return items && items.length > 0 ? items.join(", ") : empty;
}

/** A tri-state for a value. */
export function triState(value: boolean | null | undefined): string {
  return value === undefined || value === null ? "auto" : String(value);
}

/** Another object that says what to do, if one is named. */
export function describeReference(
  into: Description,
  title: string,
  object: { readonly kind: string; readonly name: string } | null | undefined,
): void {
  if (object) into.block(title, [`Type:\t${object.kind}`, `Name:\t${object.name}`]).line();
}
