/** Which object or collection a path of the API names. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The old form of watching: `/api/v1/watch/…`. */
  readonly isWatch: boolean;
}

const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);

/** Reads a path below `/api/v1` or `/apis/GROUP/VERSION`; undefined when it is not of that form. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const parts = path.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  const root = parts.shift();
  const group = root === "apis" ? parts.shift() : "";
  const version = parts.shift();
  if ((root !== "api" && root !== "apis") || group === undefined || version === undefined) return undefined;
  const isWatch = parts[0] === "watch";
  if (isWatch) parts.shift();
  const decoded = parts.map(decodePart);
  const [first = "", second = "", third = "", ...rest] = decoded;
  if (first === "") return undefined;
  if (
    first !== "namespaces" ||
    third === "" ||
    (group === "" && namespaceSubresources.has(third) && rest.length === 0)
  ) {
    return {
      group,
      version,
      plural: first,
      namespace: "",
      name: second,
      subresource: [third, ...rest].filter(Boolean).join("/"),
      isWatch,
    };
  }
  const [name = "", ...subresource] = rest;
  return { group, version, plural: third, namespace: second, name, subresource: subresource.join("/"), isWatch };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a broken escape names nothing, and is answered as not found
  }
}
