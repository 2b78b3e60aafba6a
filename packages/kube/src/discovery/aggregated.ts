import { AppError } from "@jibe/base";
import type { DiscoveryFailure, ResourceType } from "./discovery.ts";
import { type DiscoveryParts, type Document, document, documents, text, texts } from "./parts.ts";

const form = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

/** Asks for everything in one document, and takes the old form where that is not known. */
export const aggregatedAccept = [form("v2"), form("v2beta1"), "application/json"].join(",");

/** Whether the server answered with everything in one document. */
export function isAggregated(contentType: string): boolean {
  return contentType.includes("as=APIGroupDiscoveryList");
}

/** Reads an `APIGroupDiscoveryList`. A version marked stale is one whose server does not answer. */
export function readAggregated(list: Document): DiscoveryParts {
  const failures: DiscoveryFailure[] = [];
  const resources: ResourceType[] = [];
  const groups = documents(list["items"]).map((item) => {
    const group = text(document(item["metadata"])["name"]);
    const versions = documents(item["versions"]);
    for (const entry of versions) {
      const version = text(entry["version"]);
      if (entry["freshness"] === "Stale") failures.push(staleFailure(group, version));
      for (const resource of documents(entry["resources"])) resources.push(resourceFrom(group, version, resource));
    }
    const names = versions.map((entry) => text(entry["version"]));
    return { name: group, preferredVersion: names[0] ?? "", versions: names };
  });
  return { groups, resources, failures };
}

function resourceFrom(group: string, version: string, entry: Document): ResourceType {
  return {
    group,
    version,
    resource: text(entry["resource"]),
    kind: text(document(entry["responseKind"])["kind"]),
    namespaced: entry["scope"] === "Namespaced",
    verbs: texts(entry["verbs"]),
    shortNames: texts(entry["shortNames"]),
    singular: text(entry["singularResource"]),
    categories: texts(entry["categories"]),
    subresources: documents(entry["subresources"]).map((item) => text(item["subresource"])),
  };
}

function staleFailure(group: string, version: string): DiscoveryFailure {
  const error = new AppError("Unavailable", `the server behind ${group}/${version} does not answer`, {
    fields: { group, version },
  });
  return { group, version, error };
}
