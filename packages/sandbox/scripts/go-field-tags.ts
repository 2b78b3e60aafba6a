import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a Go struct says about its JSON form beyond what OpenAPI shows. */
export interface FieldTags {
  /** Scalars held by value with `omitempty`: their zero value is never written. */
  readonly dropZero: readonly string[];
  /** Structs with `omitzero`: written only when something is in them. */
  readonly dropEmpty: readonly string[];
  /** Lists and maps without `omitempty`, and times held by value: written as null when absent. */
  readonly nullable: readonly string[];
}

interface GoField {
  readonly name: string;
  readonly goType: string;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
}

const packagePaths: readonly (readonly [RegExp, string])[] = [
  [/^io\.k8s\.api\.(.+)\.[^.]+$/, "api@VERSION/"],
  [/^io\.k8s\.apimachinery\.(.+)\.[^.]+$/, "apimachinery@VERSION/"],
  [/^io\.k8s\.apiextensions-apiserver\.(.+)\.[^.]+$/, "apiextensions-apiserver@VERSION/"],
  [/^io\.k8s\.kube-aggregator\.(.+)\.[^.]+$/, "kube-aggregator@VERSION/"],
];

/** Reads the struct tags of a definition (`io.k8s.api.core.v1.Pod`) from the Go module cache. */
export function fieldTagsReader(moduleCache: string, version: string): (definition: string) => FieldTags | undefined {
  const structs = new Map<string, Map<string, string>>();
  const folderOf = (definition: string): string | undefined => {
    for (const [pattern, prefix] of packagePaths) {
      const match = pattern.exec(definition);
      if (match?.[1])
        return join(moduleCache, "k8s.io", prefix.replace("VERSION", version), match[1].replaceAll(".", "/"));
    }
    return undefined;
  };
  const structsIn = (folder: string) => {
    let found = structs.get(folder);
    if (!found) {
      found = readStructs(folder);
      structs.set(folder, found);
    }
    return found;
  };
  const fieldsOf = (folder: string, name: string): GoField[] => {
    const body = structsIn(folder).get(name);
    return body === undefined ? [] : fieldsIn(body, (inlined) => fieldsOf(...inlinedStruct(folder, inlined)));
  };
  const inlinedStruct = (folder: string, name: string): [string, string] => {
    const [first = "", second] = name.split(".");
    if (second === undefined) return [folder, first];
    const meta = join(moduleCache, "k8s.io", `apimachinery@${version}`, "pkg/apis/meta/v1");
    const core = join(moduleCache, "k8s.io", `api@${version}`, "core/v1");
    return [first === "metav1" ? meta : core, second];
  };
  return (definition) => {
    const folder = folderOf(definition);
    return folder && tagsFrom(fieldsOf(folder, definition.slice(definition.lastIndexOf(".") + 1)));
  };
}

function readStructs(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".go") || file.startsWith("zz_") || file.endsWith("_test.go") || file === "generated.pb.go")
      continue;
    const text = readFileSync(join(folder, file), "utf8");
    for (const [, name = "", body = ""] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
      found.set(name, body);
  }
  return found;
}

function fieldsIn(body: string, inline: (name: string) => GoField[]): GoField[] {
  const fields: GoField[] = [];
  for (const line of body.split("\n")) {
    const match = /^\s+(?:(\w+)\s+)?(\S+)\s+`(?:.*\s)?json:"([^"]*)"/.exec(line);
    if (!match) continue;
    const [, , goType = "", tag = ""] = match;
    const [name = "", ...options] = tag.split(",");
    if (options.includes("inline")) fields.push(...inline(goType));
    else if (name !== "-" && name !== "") {
      fields.push({ name, goType, omitEmpty: options.includes("omitempty"), omitZero: options.includes("omitzero") });
    }
  }
  return fields;
}

function tagsFrom(fields: readonly GoField[]): FieldTags {
  const isTime = (field: GoField) => /^(\w+\.)?(Micro)?Time$/.test(field.goType);
  const byValue = (field: GoField) => !/^(\*|\[\]|map\[)/.test(field.goType);
  const names = (keep: (field: GoField) => boolean) => fields.filter(keep).map(({ name }) => name);
  return {
    dropZero: names((field) => byValue(field) && field.omitEmpty && !field.omitZero),
    dropEmpty: names((field) => byValue(field) && field.omitZero),
    nullable: names((field) =>
      isTime(field) ? !field.omitZero : /^(\[\]|map\[)/.test(field.goType) && !field.omitEmpty,
    ),
  };
}
