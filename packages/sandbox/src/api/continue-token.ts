import { parseJson } from "@jibe/base";
import { badRequest } from "./api-error.ts";
import { jsonErrorText } from "./json-error.ts";
import { isTree } from "./kube-object.ts";

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
    decoded = parseJson(Buffer.from(token, "base64url").toString());
  } catch (error) {
    throw malformed(jsonErrorText(Buffer.from(token, "base64url").toString("latin1"), error));
  }
  if (!isTree(decoded) || typeof decoded["rv"] !== "number" || typeof decoded["start"] !== "string") {
    throw malformed("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  const start = decoded["start"];
  return { revision: decoded["rv"], after: start.endsWith("\u0000") ? start.slice(0, -1) : start };
}

const malformed = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
