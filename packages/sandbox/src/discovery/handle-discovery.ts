import { pathUnknown, resourceUnknown } from "../api/api-error.ts";
import type { ApiContext } from "../api/context.ts";
import { type ApiRequest, type ApiResponse, json, text } from "../http/api-request.ts";
import { acceptedForms } from "../http/negotiate.ts";
import { aggregated, aggregatedMediaType, apiVersions, groupDocument, groupList, resourceList } from "./documents.ts";
import { handleOpenApi } from "./openapi.ts";

const version = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3+jibe-sandbox",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "",
};

/** Answers what the server is and what it serves; undefined when the path is about neither. */
export function handleDiscovery(context: ApiContext, request: ApiRequest, address: string): ApiResponse | undefined {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const path = request.path.length > 1 && request.path.endsWith("/") ? request.path.slice(0, -1) : request.path;
  const { registry } = context;
  switch (path) {
    case "/version":
      return json(version);
    case "/healthz":
    case "/readyz":
    case "/livez":
      return text(request.query.has("verbose") ? `[+]ping ok\n${path.slice(1)} check passed\n` : "ok");
    case "/api":
    case "/apis":
      if (wantsAggregated(request))
        return { ...json(aggregated(registry, path === "/api")), contentType: aggregatedMediaType };
      return json(path === "/api" ? apiVersions(address) : groupList(registry));
    case "/":
      return json({ paths: rootPaths(context) });
    default:
      return path.startsWith("/openapi/") ? handleOpenApi(context, request, path) : groupOrVersion(context, path);
  }
}

function wantsAggregated({ accept }: ApiRequest): boolean {
  const first = acceptedForms(accept).find(
    ({ as, version: v }) => as === "" || (as === "APIGroupDiscoveryList" && v === "v2"),
  );
  return first?.as === "APIGroupDiscoveryList";
}

function groupOrVersion({ registry }: ApiContext, path: string): ApiResponse | undefined {
  const [, root, first, second, ...rest] = path.split("/");
  if (rest.length > 0 || first === undefined) return undefined;
  if (root === "api" && second === undefined) return orUnknown(resourceList(registry, "", first));
  if (root !== "apis") return undefined;
  if (second === undefined) return orUnknown(groupDocument(registry, first));
  const list = resourceList(registry, first, second);
  if (!list && registry.isBuiltInGroup(first)) throw resourceUnknown();
  return orUnknown(list);
}

function orUnknown(document: unknown): ApiResponse {
  if (document === undefined) throw pathUnknown();
  return json(document);
}

function rootPaths({ registry }: ApiContext): string[] {
  const named = registry.groups().filter(({ group }) => group !== "");
  const groups = named.flatMap(({ group, versions }) => [
    `/apis/${group}`,
    ...versions.map((one) => `/apis/${group}/${one.version}`),
  ]);
  return [
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
    ...groups,
  ].sort();
}
