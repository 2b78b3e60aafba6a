import { createHash } from "node:crypto";
import { pathUnknown } from "../api/api-error.ts";
import type { ApiContext } from "../api/context.ts";
import { isTree, type Tree } from "../api/kube-object.ts";
import { type ApiRequest, type ApiResponse, json } from "../http/api-request.ts";
import type { ResourceType } from "../registry/resource-type.ts";
import { customSchemaName, operationsOf } from "./openapi-paths.ts";
import { encodeOpenApiV2, openApiV2Proto } from "./openapi-v2-proto.ts";

/** Answers `/openapi/v2` and `/openapi/v3…`: enough for kubectl to validate, merge and explain; without texts. */
export function handleOpenApi(context: ApiContext, request: ApiRequest, path: string): ApiResponse {
  if (path === "/openapi/v3") return json({ paths: indexOf(context) });
  if (path === "/openapi/v2") return swaggerResponse(context, request);
  const [, , , root, group = "", version] = path.split("/");
  const found = root === "api" ? typesOf(context, "", group) : typesOf(context, group, version ?? "");
  if (found.length === 0) throw pathUnknown();
  return json(documentOf(context, found));
}

function swaggerResponse(context: ApiContext, { accept }: ApiRequest): ApiResponse {
  const document = swagger(context);
  if (!accept.includes("proto-openapi.spec.v2")) return json(document);
  return { status: 200, contentType: openApiV2Proto, body: encodeOpenApiV2(document) };
}

function typesOf({ registry }: ApiContext, group: string, version: string): readonly ResourceType[] {
  return (
    registry
      .groups()
      .find((known) => known.group === group)
      ?.versions.find((one) => one.version === version)?.types ?? []
  );
}

function indexOf(context: ApiContext): Tree {
  const paths: Tree = {};
  for (const { group, versions } of context.registry.groups()) {
    for (const { version, types } of versions) {
      const name = group === "" ? `api/${version}` : `apis/${group}/${version}`;
      const seed = types.some(({ custom }) => custom)
        ? JSON.stringify(types.map(({ custom }) => custom?.openAPIV3Schema ?? ""))
        : name;
      const hash = createHash("sha512").update(seed).digest("hex").toUpperCase();
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` };
    }
  }
  return paths;
}

function documentOf(context: ApiContext, types: readonly ResourceType[]): Tree {
  const schemas: Tree = {};
  for (const type of types) addSchemas(context, type, schemas);
  collectReferences(context, "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", schemas);
  collectReferences(context, "io.k8s.apimachinery.pkg.apis.meta.v1.Status", schemas);
  collectReferences(context, "io.k8s.apimachinery.pkg.apis.meta.v1.Patch", schemas);
  const paths = Object.assign({}, ...types.map((type) => operationsOf(context, type))) as Tree;
  return { openapi: "3.0.0", info: { title: "Kubernetes", version: "1.36" }, paths, components: { schemas } };
}

function addSchemas(context: ApiContext, type: ResourceType, schemas: Tree): void {
  if (type.custom) {
    schemas[customSchemaName(type)] = customSchema(type);
    collectReferences(context, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", schemas);
    return;
  }
  const name = context.definitions.nameOf(type);
  if (name === undefined) return;
  collectReferences(context, name, schemas);
  collectReferences(context, `${name}List`, schemas);
}

function customSchema(type: ResourceType): Tree {
  const given = isTree(type.custom?.openAPIV3Schema) ? type.custom.openAPIV3Schema : { type: "object" };
  const properties = isTree(given["properties"]) ? given["properties"] : {};
  return {
    ...given,
    properties: {
      ...properties,
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
    },
    "x-kubernetes-group-version-kind": [{ group: type.group, version: type.version, kind: type.kind }],
  };
}

function collectReferences({ definitions }: ApiContext, name: string, into: Tree): void {
  const pending = [name];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const schema = definitions.schemas[next];
    if (!schema || next in into) continue;
    into[next] = schema;
    for (const [, reference] of JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      if (reference) pending.push(reference);
    }
  }
}

/** The older document: all definitions at once, references and defaults in its own notation. */
function swagger(context: ApiContext): Tree {
  const schemas: Tree = { ...context.definitions.schemas };
  for (const type of context.registry.all()) if (type.custom) schemas[customSchemaName(type)] = customSchema(type);
  const paths = Object.assign({}, ...context.registry.all().map((type) => operationsOf(context, type))) as Tree;
  const text = JSON.stringify(schemas)
    .replaceAll("#/components/schemas/", "#/definitions/")
    .replaceAll(/"default":\{\},"allOf":\[(\{"\$ref":"[^"]+"\})\]/g, (_all, reference: string) =>
      reference.slice(1, -1),
    )
    .replaceAll(/"allOf":\[\{("\$ref":"[^"]+")\}\]/g, "$1");
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "v1.36.3" },
    paths: JSON.parse(JSON.stringify(paths).replaceAll("#/components/schemas/", "#/definitions/")) as Tree,
    definitions: JSON.parse(text) as Tree,
  };
}
