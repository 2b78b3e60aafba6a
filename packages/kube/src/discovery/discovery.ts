import type { AppError } from "@jibe/base";
import { groupResourceOf, type ResourceRef } from "../kube-object.ts";

/** One resource in one version, as the server offers it. */
export interface ResourceType extends ResourceRef {
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly singular: string;
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
}

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  readonly preferredVersion: string;
  /** The server's order. */
  readonly versions: readonly string[];
}

/**
 * A group version whose resources could not be read; the others are not affected. The group is `*`, and the version empty,
 * when not even the list of groups could be read.
 */
export interface DiscoveryFailure {
  readonly group: string;
  readonly version: string;
  readonly error: AppError;
}

/** What a server serves, at the moment it was asked. */
export class Discovery {
  /** In the server's order, the core group first. */
  readonly groups: readonly ApiGroup[];
  /** Every resource in every version. */
  readonly resources: readonly ResourceType[];
  readonly failures: readonly DiscoveryFailure[];
  readonly #preferred: readonly ResourceType[];

  constructor(parts: {
    readonly groups: readonly ApiGroup[];
    readonly resources: readonly ResourceType[];
    readonly failures: readonly DiscoveryFailure[];
  }) {
    this.groups = parts.groups;
    this.resources = parts.resources;
    this.failures = parts.failures;
    this.#preferred = preferredOf(parts.groups, parts.resources);
  }

  /** Each resource once, in its group's preferred version, or in the first that has it. */
  preferred(): readonly ResourceType[] {
    return this.#preferred;
  }

  /**
   * The resource a person means: plural, singular, kind or short name in any case, alone or with group
   * (`deployments.apps`) or version and group (`deployments.v1.apps`). Of several groups the server's first wins.
   */
  find(nameOrShort: string): ResourceType | undefined {
    const [name = "", ...rest] = nameOrShort.toLowerCase().split(".");
    const suffix = rest.join(".");
    if (suffix === "") return byName(this.#preferred, name);
    const [version = "", ...group] = rest;
    const isExact = (type: ResourceType) => type.version === version && type.group === group.join(".");
    const inGroup = (type: ResourceType) => type.group === suffix;
    return byName(this.resources.filter(isExact), name) ?? byName(this.#preferred.filter(inGroup), name);
  }
}

function byName(types: readonly ResourceType[], name: string): ResourceType | undefined {
  return (
    types.find(({ resource }) => resource === name) ??
    types.find(({ singular, kind }) => singular === name || kind.toLowerCase() === name) ??
    types.find(({ shortNames }) => shortNames.includes(name))
  );
}

function preferredOf(groups: readonly ApiGroup[], resources: readonly ResourceType[]): readonly ResourceType[] {
  const byGroupVersion = Map.groupBy(resources, ({ group, version }) => `${group}/${version}`);
  const chosen = new Map<string, ResourceType>();
  for (const { name, preferredVersion, versions } of groups) {
    for (const version of [preferredVersion, ...versions]) {
      for (const type of byGroupVersion.get(`${name}/${version}`) ?? []) {
        const key = groupResourceOf(type);
        if (!chosen.has(key)) chosen.set(key, type);
      }
    }
  }
  return [...chosen.values()];
}
