import { isJsonObject, type JsonObject, ownValue } from "../schema/json-object.ts";

const unescapeToken = (token: string) => token.replace(/~[01]/g, (escaped) => (escaped === "~1" ? "/" : "~"));

/**
 * The container that holds what a JSON pointer names, and the last token. Undefined when a step on the way is missing
 * or a scalar, and for the empty pointer. What stands before the first slash is ignored, as the API server does.
 */
export function parentAt(
  root: unknown,
  pointer: string,
): { container: JsonObject | unknown[]; key: string } | undefined {
  const tokens = pointer.split("/").map(unescapeToken);
  const key = tokens.at(-1);
  if (tokens.length < 2 || key === undefined) return undefined;
  let current = root;
  for (const token of tokens.slice(1, -1)) current = step(current, token);
  if (Array.isArray(current) || isJsonObject(current)) return { container: current, key };
  return undefined;
}

function step(container: unknown, token: string): unknown {
  if (isJsonObject(container)) return ownValue(container, token);
  if (!Array.isArray(container) || !/^[+-]?\d+$/.test(token)) return undefined;
  return container.at(Number(token));
}
