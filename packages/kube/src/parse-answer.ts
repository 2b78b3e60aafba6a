import { AppError, parseJson } from "@jibe/base";

/** Reads JSON that the server sent; numbers that JavaScript cannot hold keep their text. */
export function parseAnswer(what: string, answer: Uint8Array | string): unknown {
  const text = typeof answer === "string" ? answer : textOf(answer);
  try {
    return parseJson(text);
  } catch (cause) {
    const start = JSON.stringify(text.slice(0, 80));
    throw new AppError("DataLoss", `${what}: the server's answer is not JSON: it begins with ${start}`, { cause });
  }
}

/** As `parseAnswer`, for a document whose fields are then looked at one by one. */
export function parseDocument(what: string, answer: Uint8Array | string): Readonly<Record<string, unknown>> {
  const value = parseAnswer(what, answer);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new AppError("DataLoss", `${what}: the server's answer is not an object`);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
