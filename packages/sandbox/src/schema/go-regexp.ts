const unsupported = /\(\?(?:=|!|<=|<!|>)|\(\?[a-z-]*[^a-zA-Z:)<=!>-]/;

/**
 * A JavaScript expression for a pattern in Go's syntax, which is what schemas use. Throws with Go's words when Go would
 * refuse the pattern; look-around and back references are among what it refuses.
 */
export function regExpFromGo(pattern: string): RegExp {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const body = pattern
    .slice(flags?.[0].length ?? 0)
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\z", "$")
    .replaceAll("\\A", "^");
  const stray = unsupported.exec(body);
  if (stray) throw new Error(`error parsing regexp: invalid or unsupported Perl syntax: \`${stray[0]}\``);
  const reference = /(?<!\\)(?:\\\\)*(\\[1-9])/.exec(body)?.[1];
  if (reference) throw new Error(`error parsing regexp: invalid escape sequence: \`${reference}\``);
  const modes = flags?.[1] ?? "";
  try {
    return new RegExp(body, `${modes}u`);
  } catch {
    // Escapes such as \- are fine in Go, and in JavaScript only without the u flag.
    return loose(body, modes);
  }
}

function loose(body: string, modes: string): RegExp {
  try {
    return new RegExp(body, modes);
  } catch (error) {
    throw new Error(`error parsing regexp: ${goReason(error instanceof Error ? error.message : "", body)}`);
  }
}

function goReason(message: string, body: string): string {
  if (message.includes("Unterminated character class")) {
    return `missing closing ]: \`${body.slice(body.lastIndexOf("["))}\``;
  }
  if (message.includes("Unterminated group")) return `missing closing ): \`${body}\``;
  if (message.includes("Unmatched ')'")) return `unexpected ): \`${body}\``;
  if (message.includes("Nothing to repeat")) {
    return `missing argument to repetition operator: \`${/[*+?]/.exec(body)?.[0] ?? body}\``;
  }
  if (message.includes("Range out of order")) {
    return `invalid character class range: \`${/.-./.exec(body)?.[0] ?? body}\``;
  }
  return `invalid pattern: \`${body}\``;
}
