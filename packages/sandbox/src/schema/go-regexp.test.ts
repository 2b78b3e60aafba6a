import { expect, test } from "vitest";
import { regExpFromGo } from "./go-regexp.ts";

const accepted: Record<string, { pattern: string; text: string; matches: boolean }> = {
  "takes leading flags": { pattern: "(?i)^abc$", text: "ABC", matches: true },
  "takes escapes that only Go allows": { pattern: "^[a\\-z\\_]+$", text: "a-_", matches: true },
  "takes named groups": { pattern: "^(?P<x>a)$", text: "a", matches: true },
  "takes ends of text": { pattern: "\\Aab\\z", text: "ab", matches: true },
  "finds a match anywhere": { pattern: "b", text: "abc", matches: true },
  "takes groups without capture": { pattern: "^(?:a|b)$", text: "c", matches: false },
};

for (const [name, { pattern, text, matches }] of Object.entries(accepted)) {
  test(`regExpFromGo ${name}`, () => expect(regExpFromGo(pattern).test(text)).toBe(matches));
}

const refused: Record<string, string> = {
  "[": "error parsing regexp: missing closing ]: `[`",
  "(a": "error parsing regexp: missing closing ): `(a`",
  "*": "error parsing regexp: missing argument to repetition operator: `*`",
  "(?!a)": "error parsing regexp: invalid or unsupported Perl syntax: `(?!`",
  "(a)\\1": "error parsing regexp: invalid escape sequence: `\\1`",
};

for (const [pattern, message] of Object.entries(refused)) {
  test(`regExpFromGo refuses ${pattern}`, () => expect(() => regExpFromGo(pattern)).toThrow(message));
}
