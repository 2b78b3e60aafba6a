/** Go's words for what is wrong with a JSON text. */
export function jsonErrorText(text: string, error: unknown): string {
  const start = text.trimStart();
  const message = error instanceof Error ? error.message : String(error);
  if (start === "" || message.includes("end of JSON") || message.includes("Unterminated"))
    return "unexpected end of JSON input";
  const literal = literalError(start);
  if (literal !== undefined) return literal;
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length - start.length);
  if (position >= text.length) return "unexpected end of JSON input";
  const found = `invalid character ${quoted(text[position] ?? "")}`;
  if (message.includes("property name")) return `${found} looking for beginning of object key string`;
  if (message.includes("after property value")) return `${found} after object key:value pair`;
  if (message.includes("after array element")) return `${found} after array element`;
  if (message.includes("after property name")) return `${found} after object key`;
  if (message.includes("after JSON")) return `${found} after top-level value`;
  return `${found} looking for beginning of value`;
}

function quoted(character: string): string {
  const code = character.charCodeAt(0);
  const isShown = code >= 0x20 && (code < 0x7f || code > 0xa0);
  return isShown ? `'${character}'` : `'\\u${code.toString(16).padStart(4, "0")}'`;
}

/** Go says where a word that looks like null, true or false goes wrong. */
function literalError(text: string): string | undefined {
  for (const word of ["null", "true", "false"]) {
    if (text[0] !== word[0]) continue;
    for (let index = 1; index < word.length; index++) {
      if (text[index] === word[index]) continue;
      return `invalid character '${text[index]}' in literal ${word} (expecting '${word[index]}')`;
    }
  }
  return undefined;
}

const shownLength = 30;

/** A body as it is shown in a message: its beginning, as text or in hexadecimal. */
export function bodySummary(body: Buffer): string {
  if (body.length === 0) return "<empty>";
  if (body[0] === 0x7b)
    return body.length > shownLength ? `${body.toString("utf8", 0, shownLength)} ...` : body.toString();
  const head = body.toString("hex", 0, shownLength);
  return body.length > shownLength ? `${head} ...` : head;
}
