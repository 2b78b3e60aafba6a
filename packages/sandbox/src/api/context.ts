import type { Clock } from "@jibe/base";
import type { Strategy } from "../builtin/strategy.ts";
import type { TypeNodes } from "../builtin/type-nodes.ts";
import type { ProtoMessages } from "../protobuf/decode-message.ts";
import type { Definitions } from "../registry/definitions.ts";
import type { Registry } from "../registry/registry.ts";
import type { ResourceType } from "../registry/resource-type.ts";
import type { Store } from "../storage/store.ts";
import type { Audiences } from "../watch/audiences.ts";

/** What every operation on objects works with. One per server. */
export interface ApiContext {
  readonly store: Store;
  readonly audiences: Audiences;
  readonly registry: Registry;
  readonly definitions: Definitions;
  readonly nodes: TypeNodes;
  readonly messages: ProtoMessages;
  readonly clock: Clock;
  /** What is particular to the objects of one type. */
  readonly strategyOf: (type: ResourceType) => Strategy;
  readonly newUid: () => string;
  /** Five characters for `generateName`. */
  readonly nameSuffix: () => string;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** How a write was asked for. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Adds a `Warning` header to the answer. */
  readonly warn: (text: string) => void;
}

/** Which object, or with an empty name which collection, an operation is about. */
export interface Target {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** Writes made by the server's own controllers. */
export const internalWrite: WriteOptions = {
  dryRun: false,
  fieldManager: "kube-controller-manager",
  fieldValidation: "Ignore",
  warn: () => {},
};
