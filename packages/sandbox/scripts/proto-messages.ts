import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A field of a message: its number, its JSON name, its type; lists end in `[]`, maps are `{}` and their value type. */
export type ProtoField = readonly [number: number, name: string, type: string];

/**
 * Reads the messages of a Go module's `generated.proto`, named as OpenAPI names them (`io.k8s.api.core.v1.Pod`).
 * Types that are not scalar are written by their full name.
 */
export function readProtoMessages(
  moduleCache: string,
  version: string,
  definition: string,
): Record<string, readonly ProtoField[]> {
  const [module = "", ...folders] = definition.replace(/^io\.k8s\./, "").split(".");
  const path = join(moduleCache, "k8s.io", `${module}@${version}`, ...folders.slice(0, -1), "generated.proto");
  if (!existsSync(path)) return {};
  const text = readFileSync(path, "utf8");
  const ownPackage = definition.slice(0, definition.lastIndexOf("."));
  const messages: Record<string, readonly ProtoField[]> = {};
  for (const [, name = "", body = ""] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    messages[`${ownPackage}.${name}`] = fieldsIn(body, ownPackage);
  }
  return messages;
}

const scalars = new Set(["string", "bool", "int32", "int64", "bytes", "double", "uint32", "uint64", "float"]);

function fieldsIn(body: string, ownPackage: string): ProtoField[] {
  const full = (type: string) => {
    if (scalars.has(type)) return type;
    return type.startsWith(".") ? type.replace(/^\.k8s\.io\./, "io.k8s.") : `${ownPackage}.${type}`;
  };
  const fields: ProtoField[] = [];
  for (const line of body.split("\n")) {
    const map = /^\s+map<string, ([\w.]+)> (\w+) = (\d+);/.exec(line);
    if (map) fields.push([Number(map[3]), map[2] ?? "", `{}${full(map[1] ?? "")}`]);
    const single = /^\s+(optional|repeated) ([\w.]+) (\w+) = (\d+);/.exec(line);
    if (single)
      fields.push([
        Number(single[4]),
        single[3] ?? "",
        `${full(single[2] ?? "")}${single[1] === "repeated" ? "[]" : ""}`,
      ]);
  }
  return fields;
}
