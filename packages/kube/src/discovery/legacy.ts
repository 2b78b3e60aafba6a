import { AppError, mapConcurrent, type Scope } from "@jibe/base";
import type { Transport } from "../http/transport.ts";
import { apiVersionOf } from "../kube-object.ts";
import { parseDocument } from "../parse-answer.ts";
import type { ApiGroup, ResourceType } from "./discovery.ts";
import { type DiscoveryParts, type Document, document, documents, joinParts, noParts, text, texts } from "./parts.ts";

const parallelReads = 8;

/** Reads the core group the old way: its versions, then the resources of each. */
export function readLegacyCore(root: Document, transport: Transport, scope: Scope): Promise<DiscoveryParts> {
  const versions = texts(root["versions"]);
  return readGroups([{ name: "", preferredVersion: versions[0] ?? "", versions }], transport, scope);
}

/** Reads the named groups the old way: one list of groups, then the resources of each version. */
export function readLegacyGroups(root: Document, transport: Transport, scope: Scope): Promise<DiscoveryParts> {
  const groups = documents(root["groups"]).map((group): ApiGroup => {
    const versions = documents(group["versions"]).map((version) => text(version["version"]));
    const preferred = text(document(group["preferredVersion"])["version"]);
    return { name: text(group["name"]), preferredVersion: preferred || (versions[0] ?? ""), versions };
  });
  return readGroups(groups, transport, scope);
}

async function readGroups(groups: readonly ApiGroup[], transport: Transport, scope: Scope): Promise<DiscoveryParts> {
  const versions = groups.flatMap(({ name, versions }) => versions.map((version) => ({ group: name, version })));
  const each = (item: { group: string; version: string }, inner: Scope) => readVersion(item, transport, inner);
  const parts = await Array.fromAsync(mapConcurrent(versions, { limit: parallelReads, each, ordered: true }, scope));
  return joinParts([{ ...noParts, groups }, ...parts]);
}

async function readVersion(
  { group, version }: { readonly group: string; readonly version: string },
  transport: Transport,
  scope: Scope,
): Promise<DiscoveryParts> {
  const name = apiVersionOf({ group, version });
  try {
    const what = `cannot read the resources of ${name}`;
    const { body } = await transport.send(
      {
        method: "GET",
        path: group === "" ? `/api/${version}` : `/apis/${group}/${version}`,
        kind: "discovery",
        // one silent server must not hold up the others, so it is asked once; the failure is reported
        idempotent: false,
        what: () => what,
      },
      scope,
    );
    return { ...noParts, resources: resourcesFrom(group, version, parseDocument(what, body)) };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { ...noParts, failures: [{ group, version, error }] };
  }
}

function resourcesFrom(group: string, version: string, list: Document): ResourceType[] {
  const entries = documents(list["resources"]);
  const names = entries.map((entry) => text(entry["name"]));
  return entries
    .filter((entry) => !text(entry["name"]).includes("/"))
    .map((entry): ResourceType => {
      const resource = text(entry["name"]);
      return {
        group,
        version,
        resource,
        kind: text(entry["kind"]),
        namespaced: entry["namespaced"] === true,
        verbs: texts(entry["verbs"]),
        shortNames: texts(entry["shortNames"]),
        singular: text(entry["singularName"]),
        categories: texts(entry["categories"]),
        subresources: names
          .filter((name) => name.startsWith(`${resource}/`))
          .map((name) => name.slice(resource.length + 1)),
      };
    });
}
