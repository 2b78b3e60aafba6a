import { AppError, parseJson } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";

/**
 * An item's content. It is made from bytes or from an object; the other side is computed when someone asks for it, once.
 * Both are read-only: to change an item, clone the object and make a new body. Bytes that nobody changed stay the bytes
 * the API server sent.
 */
export interface ItemBody {
  readonly bytes: Uint8Array;
  readonly object: KubernetesObject;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A body over JSON bytes. Bad JSON, or JSON that is no Kubernetes object, fails with `DataLoss` when the object is read. */
export function bodyFromBytes(bytes: Uint8Array): ItemBody {
  let parsed: KubernetesObject | undefined;
  return {
    bytes,
    get object() {
      parsed ??= parseObject(bytes);
      return parsed;
    },
  };
}

/** A body over an object, which must not be changed afterwards. */
export function bodyFromObject(object: KubernetesObject): ItemBody {
  let encoded: Uint8Array | undefined;
  return {
    object,
    get bytes() {
      encoded ??= encoder.encode(JSON.stringify(object));
      return encoded;
    },
  };
}

function parseObject(bytes: Uint8Array): KubernetesObject {
  let value: unknown;
  try {
    value = parseJson(decoder.decode(bytes));
  } catch (cause) {
    throw new AppError("DataLoss", "item is not valid JSON", { cause });
  }
  if (!isKubernetesObject(value)) throw new AppError("DataLoss", "item has no kind, apiVersion or metadata");
  return value;
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { kind, apiVersion, metadata } = value as Record<string, unknown>;
  return (
    typeof kind === "string" && typeof apiVersion === "string" && typeof metadata === "object" && metadata !== null
  );
}
