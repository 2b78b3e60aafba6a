import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { Output } from "../output.ts";

export type OutputFormat = "table" | "json" | "yaml";

/** Prints objects as JSON or YAML: one alone as it is, several as a list. */
export async function printObjects(
  objects: readonly KubernetesObject[],
  format: "json" | "yaml",
  { listKind, out }: { readonly listKind: string; readonly out: Output },
): Promise<void> {
  const items = objects.map(inReadingOrder);
  const [only] = items;
  const document =
    items.length === 1 && only ? only : { apiVersion: "velero.io/v1", kind: listKind, metadata: {}, items };
  if (format === "json") out.line(JSON.stringify(document, undefined, 2));
  else {
    const { dump } = await import("js-yaml");
    out.text(dump(document, { lineWidth: -1, noRefs: true }));
  }
}

/** What an object is comes first, then the rest as it was. */
function inReadingOrder({ apiVersion, kind, metadata, ...rest }: KubernetesObject): KubernetesObject {
  return { apiVersion, kind, metadata, ...rest };
}
