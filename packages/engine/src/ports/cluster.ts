import type { AppError, Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { ItemBody } from "../item/item-body.ts";

/** One resource type in one version, as the API server serves it. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  /** Plural, lower case. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly singular: string;
  readonly subresources: readonly string[];
}

/** What the API server serves, at the time it was asked. */
export interface Discovery {
  /** In the server's order. */
  readonly groups: readonly {
    readonly name: string;
    readonly preferredVersion: string;
    readonly versions: readonly string[];
  }[];
  /** Every type in every version. */
  readonly resources: readonly ResourceType[];
  /** Every type once, in its preferred version. */
  preferred(): readonly ResourceType[];
  /** By plural, singular, short or kind name, with or without group: `deploy`, `pods`, `deployments.apps`. */
  find(name: string): ResourceType | undefined;
  /** Groups that could not be read; the rest is complete. */
  readonly failures: readonly { readonly group: string; readonly version: string; readonly error: AppError }[];
}

/** An item as a list page delivers it: raw bytes and the few fields that filters need. */
export interface ListedItem {
  /** Complete JSON, `kind` and `apiVersion` included. */
  readonly bytes: Uint8Array;
  /** The same bytes in a row of parts, where that saves putting them together. */
  readonly parts?: readonly Uint8Array[];
  readonly name: string;
  /** Empty for cluster-scoped items. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

export interface ListOptions {
  /** All namespaces unless given. */
  readonly namespace?: string;
  /** Text form. */
  readonly labelSelector?: string;
  /** Items a page; 0 asks for everything at once. */
  readonly limit?: number;
  /** An answer that is a moment old will do: an API server that was just written to gives it at once, another after a tenth of a second. */
  readonly mayBeStale?: boolean;
}

export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface PatchRequest extends ObjectName {
  readonly patch: unknown;
  readonly patchType: PatchType;
  readonly subresource?: string;
  readonly fieldManager?: string;
}

/**
 * The cluster, as the engine sees it. Implementers owe: pages of one list are consistent and no item comes twice; bytes are
 * the API server's own; temporary failures of safe calls are retried inside; errors are `AppError`s whose code says what the
 * API server meant (`NotFound`, `AlreadyExists`, `Conflict`, `InvalidArgument`, `PermissionDenied`, `Unavailable`).
 */
export interface Cluster {
  /** Reads discovery anew. */
  discover(scope: Scope): Promise<Discovery>;
  version(scope: Scope): Promise<{ readonly gitVersion: string; readonly major: string; readonly minor: string }>;
  listPages(type: ResourceType, options: ListOptions, scope: Scope): AsyncIterable<readonly ListedItem[]>;
  get(type: ResourceType, name: ObjectName, scope: Scope): Promise<ItemBody>;
  create(
    type: ResourceType,
    request: { readonly namespace?: string; readonly body: ItemBody; readonly fieldManager?: string },
    scope: Scope,
  ): Promise<ItemBody>;
  patch(type: ResourceType, request: PatchRequest, scope: Scope): Promise<ItemBody>;
  updateStatus(type: ResourceType, request: ObjectName & { readonly body: ItemBody }, scope: Scope): Promise<ItemBody>;
  delete(type: ResourceType, name: ObjectName, scope: Scope): Promise<void>;
  /** The object now and after each change; `undefined` once it is gone. Ends only with the scope. */
  follow(type: ResourceType, name: ObjectName, scope: Scope): AsyncIterable<KubernetesObject | undefined>;
  /** A command that ran and failed is a result; a command that could not run, or ran out of time, is an error. */
  exec(request: ExecRequest, scope: Scope): Promise<ExecResult>;
}

/** The name a type has in filters, archives and results: `pods`, `deployments.apps`. */
export function groupResourceOf({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** The `apiVersion` of a type's objects: `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
