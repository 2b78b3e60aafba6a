import type { Scope } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";

/** What is to happen next with the object: nothing until it changes, or another look after some time. */
export interface ReconcileResult {
  readonly requeueAfterMs?: number;
}

export const done: ReconcileResult = {};

/**
 * Brings one object on. Level-driven: it is told only which object, reads its state, decides, and writes. It may be called at
 * any time, twice, or after a restart. An error means: try again later, with back-off.
 */
export type Reconcile = (name: string, scope: Scope) => Promise<ReconcileResult>;

export interface Controller {
  /** As `--disable-controllers` knows it. */
  readonly name: string;
  readonly type: ResourceType;
  readonly reconcile: Reconcile;
  /** How many objects it works on at once; 1 unless given. */
  readonly workers?: number;
  /** Looks at every object again this often, whether or not something changed. */
  readonly resyncMs?: number;
  /** Also looks at every object of its type when one of these changes. */
  readonly alsoOn?: readonly ResourceType[];
}
