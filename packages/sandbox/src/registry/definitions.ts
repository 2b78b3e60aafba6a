import type { Tree } from "../api/kube-object.ts";
import { readTable } from "./read-table.ts";
import type { ResourceType } from "./resource-type.ts";

/** What a Go struct says about its JSON form beyond what OpenAPI shows. */
export interface FieldTags {
  readonly dropZero?: readonly string[];
  readonly dropEmpty?: readonly string[];
  readonly nullable?: readonly string[];
}

/** The OpenAPI v3 schemas of all built-in types, read from disk when first asked for. */
export class Definitions {
  #schemas: Record<string, Tree> | undefined;
  #tags: Record<string, FieldTags> | undefined;
  #byKind: Map<string, string> | undefined;

  get schemas(): Readonly<Record<string, Tree>> {
    this.#schemas ??= readTable<Record<string, Tree>>("definitions.json");
    return this.#schemas;
  }

  tagsOf(name: string): FieldTags {
    this.#tags ??= readTable<Record<string, FieldTags>>("field-tags.json");
    return this.#tags[name] ?? {};
  }

  /** The name of the schema of a type: `io.k8s.api.core.v1.Pod`. */
  nameOf({ group, version, kind }: Pick<ResourceType, "group" | "version" | "kind">): string | undefined {
    this.#byKind ??= this.#indexKinds();
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }

  #indexKinds(): Map<string, string> {
    const index = new Map<string, string>();
    for (const [name, schema] of Object.entries(this.schemas)) {
      for (const { group, version, kind } of (schema["x-kubernetes-group-version-kind"] ?? []) as Record<
        string,
        string
      >[]) {
        index.set(`${group}/${version}/${kind}`, name);
      }
    }
    return index;
  }
}
