/**
 * Writes the tables of built-in types from a real API server and the Go modules it was built from:
 *   npm run peers -- up
 *   kubectl proxy --port=8001
 *   node packages/sandbox/scripts/generate-tables.ts http://127.0.0.1:8001
 * Data only: names, verbs, schemas and struct tags; texts are left out.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fieldTagsReader } from "./go-field-tags.ts";
import { type ProtoField, readProtoMessages } from "./proto-messages.ts";

type Tree = { [key: string]: unknown };

const gen = join(import.meta.dirname, "../src/registry/gen");
const moduleVersion = "v0.36.3";

const server = process.argv[2] ?? "http://127.0.0.1:8001";
async function get(path: string, accept = "application/json"): Promise<Tree> {
  const response = await fetch(server + path, { headers: { accept } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Tree;
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const groups = [
  ...((await get("/api", aggregated))["items"] as Tree[]),
  ...((await get("/apis", aggregated))["items"] as Tree[]),
];

const table = [];
for (const group of groups) {
  const name = ((group["metadata"] as Tree | undefined)?.["name"] as string | undefined) ?? "";
  const versions = [];
  for (const version of group["versions"] as Tree[]) {
    const path = name === "" ? "/api/v1" : `/apis/${name}/${version["version"]}`;
    const legacy = (await get(path))["resources"] as Tree[];
    versions.push({
      version: version["version"],
      resources: (version["resources"] as Tree[]).map((resource) => compactResource(resource, legacy)),
    });
  }
  table.push({ group: name, versions });
}

const definitions: Tree = {};
const openapi = (await get("/openapi/v3"))["paths"] as Record<string, { serverRelativeURL: string }>;
for (const [path, { serverRelativeURL }] of Object.entries(openapi)) {
  if (!/^(api|apis\/[^/]+)\/v[^/]+$/.test(path)) continue;
  const document = await get(serverRelativeURL);
  Object.assign(definitions, (document["components"] as Tree)["schemas"]);
}

const moduleCache = execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim();
const tagsOf = fieldTagsReader(moduleCache, moduleVersion);
const sorted: Tree = {};
const messages: Tree = {};
const tags: Tree = {};
for (const name of Object.keys(definitions).sort()) {
  const schema = withoutTexts(definitions[name]) as Tree;
  sorted[name] = schema;
  if (!(name in messages)) Object.assign(messages, readProtoMessages(moduleCache, moduleVersion, name));
  const found = tagsOf(name);
  const properties = (schema["properties"] ?? {}) as Record<string, Tree>;
  if (!found) continue;
  const dropZero = found.dropZero.filter((field) => isScalar(properties[field]));
  const entry = { dropZero, dropEmpty: found.dropEmpty, nullable: found.nullable };
  const filled = Object.fromEntries(Object.entries(entry).filter(([, list]) => list.length > 0));
  if (Object.keys(filled).length > 0) tags[name] = filled;
}

function isScalar(property: Tree | undefined): boolean {
  return ["string", "integer", "number", "boolean"].includes(property?.["type"] as string);
}

function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, inner]) => !(key === "description" && typeof inner === "string"));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutTexts(inner)]));
}

function compactResource(resource: Tree, legacy: readonly Tree[]): Tree {
  const kind = (resource["responseKind"] as Tree)["kind"];
  const older = legacy.find(({ name }) => name === resource["resource"]);
  return {
    plural: resource["resource"],
    singular: resource["singularResource"],
    kind,
    namespaced: resource["scope"] === "Namespaced",
    verbs: resource["verbs"],
    ...pick(resource, ["shortNames", "categories"]),
    ...(older ? pick(older, ["storageVersionHash"]) : {}),
    subresources: ((resource["subresources"] ?? []) as Tree[]).map((sub) => {
      const { group, version, kind: subKind } = sub["responseKind"] as Tree;
      const gv = version === "" ? {} : { group, version };
      return { name: sub["subresource"], kind: subKind, verbs: sub["verbs"], ...gv };
    }),
  };
}

function pick(tree: Tree, keys: readonly string[]): Tree {
  return Object.fromEntries(keys.filter((key) => tree[key] !== undefined).map((key) => [key, tree[key]]));
}

writeFileSync(join(gen, "resources.json"), `${JSON.stringify(table)}\n`);
writeFileSync(join(gen, "definitions.json"), `${JSON.stringify(sorted)}\n`);
for (const [name, fields] of Object.entries(messages)) {
  const properties = Object.keys(((sorted[name] as Tree | undefined)?.["properties"] ?? {}) as Tree);
  if (properties.length > 0) messages[name] = (fields as ProtoField[]).map((field) => withJsonName(field, properties));
}

/** Some fields go by another name in JSON; one that has none is a struct whose fields stand in its parent. */
function withJsonName([number, name, type]: ProtoField, properties: readonly string[]): ProtoField {
  const letters = (text: string) => text.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
  const found = properties.find((property) => letters(property) === letters(name));
  return [number, found ?? "", type];
}

writeFileSync(join(gen, "proto-messages.json"), `${JSON.stringify(messages)}\n`);
writeFileSync(join(gen, "field-tags.json"), `${JSON.stringify(tags)}\n`);
