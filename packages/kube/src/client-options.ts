import type { AccessOptions } from "./auth/cluster-access.ts";
import type { ObjectInput } from "./kube-object.ts";

/** How to reach a cluster and how to treat it. */
export interface ConnectOptions extends AccessOptions {
  readonly userAgent?: string | undefined;
  /** The most calls that ever run at once; fewer while the server is under load. Watches do not count. */
  readonly maxConcurrent?: number | undefined;
  /** How long a call may take, its retries included; a watch only until it is open. */
  readonly requestTimeoutMs?: number | undefined;
  /** How often a call is sent before its failure counts: 10 times in some 15 s unless given; 20 times outlast an outage of 30 s. */
  readonly attempts?: number | undefined;
}

/** What writes have in common. */
export interface WriteOptions {
  /** Who is recorded as owner of the fields that are set. */
  readonly fieldManager?: string | undefined;
  /** Checks and answers as if it were done, and does nothing. */
  readonly dryRun?: boolean | undefined;
  /** What to do about fields the server does not know. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

interface InNamespace {
  readonly namespace?: string | undefined;
}

export interface ObjectName extends InNamespace {
  readonly name: string;
  /** `status`, `scale`, … */
  readonly subresource?: string | undefined;
}

export interface GetOptions extends ObjectName {
  /** The oldest state that will do; `0` for whatever the server has at hand. */
  readonly resourceVersion?: string | undefined;
}

export interface CreateOptions extends WriteOptions, InNamespace {
  readonly object: ObjectInput;
  /** The object whose subresource is created, such as `token` or `eviction`. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export interface UpdateOptions extends WriteOptions, ObjectName {
  readonly object: ObjectInput;
}

export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface PatchOptions extends WriteOptions, ObjectName {
  readonly contentType: PatchType;
  /** The patch: an object, an array for `json`, or JSON bytes. */
  readonly patch: unknown;
  /** With `apply`: takes over fields that others own. */
  readonly force?: boolean | undefined;
}

export type PropagationPolicy = "Orphan" | "Background" | "Foreground";

export interface DeleteBehaviour {
  readonly propagationPolicy?: PropagationPolicy | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface DeleteOptions extends DeleteBehaviour, ObjectName {
  /** Deletes only the object that was seen, not one made since under the same name. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

export interface Selection extends InNamespace {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface DeleteCollectionOptions extends DeleteBehaviour, Selection {}

export interface ListOptions extends Selection {
  /** Items a page; 500 unless given. */
  readonly limit?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** A call for which there is no method. */
export interface RequestOptions {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the API, such as `/readyz`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: Uint8Array | string | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  /** Whether it may be sent twice; so is GET unless said otherwise. */
  readonly idempotent?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
}
