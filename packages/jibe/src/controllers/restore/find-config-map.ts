import { hasCode, type Scope } from "@jibe/base";
import { coreTypes } from "../../api/resource-types.ts";
import type { RunSurroundings } from "../run-surroundings.ts";

/** A ConfigMap that a user may have put beside the server; nothing when there is none. */
export async function findConfigMap(
  name: string,
  namespace: string,
  { cluster }: Pick<RunSurroundings, "cluster">,
  scope: Scope,
): Promise<{ readonly data: Readonly<Record<string, string>> } | undefined> {
  try {
    const { object } = await cluster.get(coreTypes.configMap, { namespace, name }, scope);
    return { data: (object["data"] ?? {}) as Record<string, string> };
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
}
