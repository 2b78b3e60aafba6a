import { AppError, parseJson } from "@jibe/base";
import type { KubernetesObject } from "../contracts/index.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** Reads an object from JSON bytes; `what` names it in the error. Numbers keep their text. */
export function objectFromBytes<T extends KubernetesObject = KubernetesObject>(bytes: Uint8Array, what: string): T {
  let value: unknown;
  try {
    value = parseJson(decoder.decode(bytes));
  } catch (cause) {
    throw new AppError("InvalidArgument", `${what} is not valid JSON`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("InvalidArgument", `${what} is not a JSON object`);
  }
  return value as T;
}

/** Writes an object as JSON bytes. Hosts cannot decode an object without `kind`, so its lack is said here. */
export function objectAsBytes(object: KubernetesObject, what: string): Uint8Array {
  if (typeof object !== "object" || object === null || typeof object.kind !== "string" || object.kind === "") {
    throw new AppError("InvalidArgument", `${what} is no Kubernetes object: it has no kind`);
  }
  return encoder.encode(JSON.stringify(object));
}
