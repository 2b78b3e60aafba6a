import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { apiVersionOf, type Discovery, groupResourceOf, type ResourceType } from "../ports/cluster.ts";
import type { ResourceFinder } from "../select/resource-filter.ts";
import { textAt, valueAt } from "./object-edits.ts";

/**
 * The types a restore knows: those the target serves, and, for names alone, those that the backup's own CRDs define and that the target
 * will serve once they are restored.
 */
export class TypeTable implements ResourceFinder {
  #discovery: Discovery;
  #served = new Map<string, ResourceType>();
  #byKind = new Map<string, ResourceType>();
  readonly #fromArchive = new Map<string, ResourceType>();

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
    this.replace(discovery);
  }

  get discovery(): Discovery {
    return this.#discovery;
  }

  /** Takes a newer view of the target. */
  replace(discovery: Discovery): void {
    this.#discovery = discovery;
    this.#served = new Map(discovery.resources.map((type) => [servedKey(type), type]));
    this.#byKind = new Map(discovery.resources.map((type) => [`${apiVersionOf(type)}/${type.kind}`, type]));
  }

  /** Adds the names that a CRD of the backup defines. */
  addDefinition(definition: KubernetesObject): void {
    const type = typeFromDefinition(definition);
    if (!type) return;
    const names = [type.resource, type.singular, type.kind.toLowerCase(), ...type.shortNames];
    for (const name of names.filter((each) => each !== "")) {
      for (const key of [name, groupResourceOf({ group: type.group, resource: name })]) {
        if (!this.#fromArchive.has(key)) this.#fromArchive.set(key, type);
      }
    }
  }

  find(name: string): ResourceType | undefined {
    return this.#discovery.find(name) ?? this.#fromArchive.get(name.toLowerCase());
  }

  /** The type of an object's own version, if the target serves it. */
  served(apiVersion: string, resource: string): ResourceType | undefined {
    return this.#served.get(`${apiVersion}/${resource}`);
  }

  servedKind(apiVersion: string, kind: string): ResourceType | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }
}

function servedKey(type: ResourceType): string {
  return `${apiVersionOf(type)}/${type.resource}`;
}

function typeFromDefinition(definition: KubernetesObject): ResourceType | undefined {
  const { spec } = definition;
  const resource = textAt(spec, "names", "plural");
  const group = textAt(spec, "group");
  if (resource === "" || group === "") return undefined;
  const versions = valueAt(spec, "versions");
  const version = Array.isArray(versions) ? textAt(versions[0], "name") : textAt(spec, "version");
  const shortNames = valueAt(spec, "names", "shortNames");
  return {
    group,
    version,
    resource,
    kind: textAt(spec, "names", "kind"),
    namespaced: textAt(spec, "scope") === "Namespaced",
    verbs: [],
    shortNames: Array.isArray(shortNames) ? shortNames.filter((name) => typeof name === "string") : [],
    singular: textAt(spec, "names", "singular"),
    subresources: [],
  };
}
