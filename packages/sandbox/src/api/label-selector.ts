import type { LabelRequirement, LabelSelector } from "@jibe/base";
import { badRequest } from "./api-error.ts";

type Token = { readonly kind: "word" | "sign" | "end"; readonly text: string };

const signs = /^(==|!=|=|!|\(|\)|,|>|<)/;
const operators = "in, notin, =, ==, !=, gt, lt";

/** Reads the text of a label selector, with the API server's words for what cannot be read. */
export function readLabelSelector(text: string): LabelSelector {
  const tokens = tokensOf(text);
  const matchExpressions: LabelRequirement[] = [];
  let at = 0;
  const peek = (): Token => tokens[at] ?? { kind: "end", text: "" };
  const take = (): Token => tokens[at++] ?? { kind: "end", text: "" };
  while (peek().kind !== "end") {
    matchExpressions.push(requirement(peek, take));
    const { kind, text: found } = take();
    if (kind === "end") break;
    if (found !== ",") throw badRequest(`found '${found}', expected: ',' or 'end of string'`);
    if (peek().kind !== "word" && peek().text !== "!")
      throw badRequest(`found '${peek().text}', expected: identifier after ','`);
  }
  return { matchExpressions };
}

function requirement(peek: () => Token, take: () => Token): LabelRequirement {
  const first = take();
  if (first.text === "!") return { key: keyFrom(take()), operator: "DoesNotExist" };
  const key = keyFrom(first);
  const next = peek();
  if (next.kind === "end" || next.text === ",") return { key, operator: "Exists" };
  take();
  switch (next.text) {
    case "in":
    case "notin":
      return { key, operator: next.text === "in" ? "In" : "NotIn", values: setFrom(take) };
    case "=":
    case "==":
    case "!=":
      return { key, operator: next.text === "!=" ? "NotIn" : "In", values: [valueFrom(peek, take)] };
    default:
      throw badRequest(`unable to parse requirement: found '${next.text}', expected: ${operators}`);
  }
}

function keyFrom({ kind, text }: Token): string {
  if (kind === "word") return text;
  throw badRequest(`found '${text}', expected: !, identifier, or 'end of string'`);
}

function valueFrom(peek: () => Token, take: () => Token): string {
  if (peek().kind === "end" || peek().text === ",") return "";
  const { kind, text } = take();
  if (kind === "word") return text;
  throw badRequest(`unable to parse requirement: found '${text}', expected: identifier`);
}

function setFrom(take: () => Token): string[] {
  const open = take();
  if (open.text !== "(") throw badRequest(`unable to parse requirement: found '${open.text}' expected: '('`);
  const values: string[] = [];
  for (;;) {
    const token = take();
    if (token.kind === "word") values.push(token.text);
    else if (token.text === ")") return values.length === 0 ? [""] : values;
    else if (token.text !== ",")
      throw badRequest(`unable to parse requirement: found '${token.text}', expected: ',', or ')'`);
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const sign = signs.exec(rest)?.[1];
    const word = sign === undefined ? (/^[^\s=!(),<>]+/.exec(rest)?.[0] ?? rest) : undefined;
    tokens.push(sign === undefined ? { kind: "word", text: word ?? "" } : { kind: "sign", text: sign });
    rest = rest.slice((sign ?? word ?? "").length).trimStart();
  }
  return tokens;
}
