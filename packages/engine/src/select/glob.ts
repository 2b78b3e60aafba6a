/** Says whether a text matches. */
export type Glob = (text: string) => boolean;

/**
 * Compiles a glob as Velero's filters read it: `*` any text, `?` one character, `[abc]`, `[a-z]`, `[!abc]`, `{a,b}`, and `\` before
 * a character that means itself. With separators, `*` and `?` do not cross them and `**` does. `undefined` when the pattern is broken.
 */
export function compileGlob(
  pattern: string,
  { separators = "" }: { readonly separators?: string } = {},
): Glob | undefined {
  if (!/[*?[\]{}\\]/.test(pattern)) return (text) => text === pattern;
  const any = separators === "" ? "[^]" : `[^${escapeClass(separators)}]`;
  const source = new GlobParser(pattern, any).parse();
  if (source === undefined) return undefined;
  const expression = new RegExp(`^(?:${source})$`, "u");
  return (text) => expression.test(text);
}

/** Turns a pattern into the source of a regular expression. */
class GlobParser {
  readonly #chars: readonly string[];
  readonly #any: string;
  #at = 0;

  constructor(pattern: string, any: string) {
    this.#chars = [...pattern];
    this.#any = any;
  }

  parse(): string | undefined {
    const source = this.#sequence(0);
    return this.#at === this.#chars.length ? source : undefined;
  }

  #sequence(depth: number): string | undefined {
    let source = "";
    for (let char = this.#chars[this.#at]; char !== undefined; char = this.#chars[this.#at]) {
      if (depth > 0 && (char === "," || char === "}")) return source;
      this.#at++;
      const piece = this.#piece(char, depth);
      if (piece === undefined) return undefined;
      source += piece;
    }
    return depth === 0 ? source : undefined;
  }

  #piece(char: string, depth: number): string | undefined {
    if (char === "?") return this.#any;
    if (char === "[") return this.#charClass();
    if (char === "{") return this.#alternatives(depth + 1);
    if (char === "*") {
      if (this.#chars[this.#at] !== "*") return `${this.#any}*`;
      while (this.#chars[this.#at] === "*") this.#at++;
      return "[^]*";
    }
    if (char !== "\\") return escapeLiteral(char);
    const next = this.#chars[this.#at++];
    return next === undefined ? undefined : escapeLiteral(next);
  }

  #alternatives(depth: number): string | undefined {
    const sources: string[] = [];
    while (true) {
      const source = this.#sequence(depth);
      if (source === undefined) return undefined;
      sources.push(source);
      if (this.#chars[this.#at++] === "}") return `(?:${sources.join("|")})`;
    }
  }

  #charClass(): string | undefined {
    const negated = this.#chars[this.#at] === "!";
    if (negated) this.#at++;
    const end = this.#chars.indexOf("]", this.#at);
    const content = this.#chars.slice(this.#at, end);
    if (end < 0 || content.length === 0) return undefined;
    this.#at = end + 1;
    const [low = "", dash, high = ""] = content;
    const isRange = content.length === 3 && dash === "-";
    if (isRange && low > high) return undefined;
    const inner = isRange ? `${escapeClass(low)}-${escapeClass(high)}` : content.map(escapeClass).join("");
    return `[${negated ? "^" : ""}${inner}]`;
  }
}

function escapeLiteral(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

function escapeClass(text: string): string {
  return text.replace(/[\\\]^-]/g, "\\$&");
}
