import { autoscalerConversion } from "../builtin/autoscaler-conversion.ts";
import { eventConversion } from "../builtin/event-conversion.ts";
import { readTable } from "./read-table.ts";
import { bucketOf, type Conversion, type ResourceType } from "./resource-type.ts";

type TableResource = Pick<
  ResourceType,
  | "plural"
  | "singular"
  | "kind"
  | "namespaced"
  | "verbs"
  | "shortNames"
  | "categories"
  | "storageVersionHash"
  | "subresources"
>;

type Table = readonly {
  readonly group: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly TableResource[] }[];
}[];

export interface GroupVersions {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly { readonly version: string; readonly types: readonly ResourceType[] }[];
}

/** Events are one kind of object under two groups. */
const sharedBuckets: Readonly<Record<string, string>> = { "events.events.k8s.io": "events" };

const conversions: Readonly<Record<string, Conversion>> = {
  "events.events.k8s.io/v1": eventConversion,
  "horizontalpodautoscalers.autoscaling/v1": autoscalerConversion,
};

const deprecations: Readonly<Record<string, string>> = {
  "componentstatuses/v1": "v1 ComponentStatus is deprecated in v1.19+",
  "endpoints/v1": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

/** Every type that is served: the built-in ones and those of custom resource definitions. */
export class Registry {
  readonly #builtIn: readonly GroupVersions[];
  readonly #custom = new Map<string, readonly ResourceType[]>();
  readonly #byPath = new Map<string, ResourceType>();
  #generation = 0;

  constructor() {
    this.#builtIn = readTable<Table>("resources.json").map(({ group, versions }) => ({
      group,
      versions: versions.map(({ version, resources }) => ({
        version,
        types: resources.map((resource) => builtInType(group, version, resource)),
      })),
    }));
    for (const { versions } of this.#builtIn)
      for (const { types } of versions) for (const type of types) this.#index(type);
  }

  /** Counts up whenever a type comes or goes. */
  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The type of an object that names itself by `apiVersion` and `kind`. */
  findKind(apiVersion: string, kind: string): ResourceType | undefined {
    return this.all().find((type) => type.kind === kind && apiVersionIs(type, apiVersion));
  }

  /** The version in which the objects of a bucket are worked on. */
  preferred(bucket: string): ResourceType | undefined {
    return this.all().find((type) => type.bucket === bucket && !type.conversion);
  }

  all(): readonly ResourceType[] {
    return [...this.#byPath.values()];
  }

  isServed(group: string, version: string): boolean {
    return this.groups().some(
      (known) => known.group === group && known.versions.some((one) => one.version === version),
    );
  }

  /** Groups in the order of discovery: built-in ones first, then custom ones by name. */
  groups(): readonly GroupVersions[] {
    const custom = new Map<string, Map<string, ResourceType[]>>();
    for (const types of this.#custom.values()) {
      for (const type of types) {
        const versions = custom.get(type.group) ?? new Map<string, ResourceType[]>();
        custom.set(type.group, versions);
        versions.set(type.version, [...(versions.get(type.version) ?? []), type]);
      }
    }
    const added = [...custom].sort(byKey).map(([group, versions]) => ({
      group,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, types]) => ({ version, types: types.toSorted((a, b) => (a.plural < b.plural ? -1 : 1)) })),
    }));
    return [...this.#builtIn, ...added];
  }

  isBuiltInGroup(group: string): boolean {
    return this.#builtIn.some((known) => known.group === group);
  }

  /** Serves the versions of a custom resource definition in place of those served before. */
  setCustom(definition: string, types: readonly ResourceType[]): void {
    for (const { group, version, plural } of this.#custom.get(definition) ?? []) {
      this.#byPath.delete(`${group}/${version}/${plural}`);
    }
    if (types.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, types);
    for (const type of types) this.#index(type);
    this.#generation++;
  }

  #index(type: ResourceType): void {
    this.#byPath.set(`${type.group}/${type.version}/${type.plural}`, type);
  }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

function apiVersionIs({ group, version }: ResourceType, apiVersion: string): boolean {
  return group === "" ? apiVersion === version : apiVersion === `${group}/${version}`;
}

function builtInType(group: string, version: string, resource: TableResource): ResourceType {
  const bucket = bucketOf(group, resource.plural);
  const conversion = conversions[`${bucket}/${version}`];
  const deprecationWarning = deprecations[`${bucket}/${version}`];
  return {
    ...resource,
    group,
    version,
    listKind: `${resource.kind}List`,
    bucket: sharedBuckets[bucket] ?? bucket,
    ...(conversion ? { conversion } : {}),
    ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
  };
}

const versionPattern = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/;

/** Orders versions as Kubernetes prefers them: `v2`, `v1`, `v1beta2`, `v1alpha1`, then the others by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  for (const [index, value] of left.entries()) if (value !== right[index]) return (right[index] ?? 0) - value;
  return 0;
}

function rank(version: string): readonly number[] | undefined {
  const match = versionPattern.exec(version);
  if (!match) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
