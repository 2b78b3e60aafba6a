import { isRawNumber } from "@jibe/base";
import { isJsonObject, type JsonObject, ownValue } from "../schema/json-object.ts";
import { PatchError } from "./patch-error.ts";

/** One step of a JSON patch as it was sent. */
export interface PatchOperation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: unknown;
}

const members = ["op", "path", "from", "value"];

/** Reads the body of a JSON patch; what is no list of operations is a bad request. */
export function readOperations(body: unknown): readonly PatchOperation[] {
  if (body === null) return [];
  if (!Array.isArray(body)) throw undecodable(jsonTypeOf(body), "value of type []handlers.jsonPatchOp");
  return body.map(readOperation);
}

function readOperation(operation: unknown): PatchOperation {
  if (operation === null) return { op: undefined, path: undefined, from: undefined, value: undefined };
  if (!isJsonObject(operation)) throw undecodable(jsonTypeOf(operation), "value of type handlers.jsonPatchOp");
  return {
    op: text(operation, "op"),
    path: text(operation, "path"),
    from: text(operation, "from"),
    value: ownValue(operation, "value"),
  };
}

function text(operation: JsonObject, member: string): string | undefined {
  const value = ownValue(operation, member);
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw undecodable(jsonTypeOf(value), `struct field jsonPatchOp.${member} of type string`);
}

/** The members that no JSON patch operation has, as strict field validation names them. */
export function unknownOperationFields(body: unknown): string[] {
  if (!Array.isArray(body)) return [];
  return body.flatMap((operation, index) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((member) => !members.includes(member))
          .map((member) => `json patch unknown field "[${index}].${member}"`)
      : [],
  );
}

const undecodable = (found: string, wanted: string) =>
  new PatchError("BadRequest", `error decoding patch: json: cannot unmarshal ${found} into Go ${wanted}`);

/** The word that Go's JSON decoder uses for a value's kind. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return isRawNumber(value) ? "number" : typeof value;
}
