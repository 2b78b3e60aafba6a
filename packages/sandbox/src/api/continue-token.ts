import { badRequest } from "./api-error.ts";
import { isTree, parseObjectText } from "./kube-object.ts";

/** Where a list goes on: after which key, and at which revision it began. */
export interface Position {
  readonly revision: number;
  readonly after: string;
}

export function encodeContinue({ revision, after }: Position): string {
  const text = JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `${after}\u0000` });
  return Buffer.from(text).toString("base64url");
}

export function decodeContinue(token: string): Position {
  let decoded: unknown;
  try {
    decoded = parseObjectText(Buffer.from(token, "base64url").toString());
  } catch {
    throw malformed();
  }
  if (!isTree(decoded) || typeof decoded["rv"] !== "number" || typeof decoded["start"] !== "string") throw malformed();
  const start = decoded["start"];
  return { revision: decoded["rv"], after: start.endsWith("\u0000") ? start.slice(0, -1) : start };
}

const malformed = () => badRequest("continue key is not valid: invalid character at the start of the token");
