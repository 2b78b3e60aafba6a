import { type Clock, hasCode, type Scope } from "@jibe/base";
import type { KubeClient } from "../client.ts";
import { claimedSpec, type Lease, leases, releasedSpec } from "./lease-record.ts";

export interface LeaseLockOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: Clock;
}

/** How an attempt to take or keep the lease went. */
export type ClaimResult =
  | { readonly held: true; readonly sentAtMs: number }
  | { readonly held: false; readonly holder: string };

/**
 * One candidate's view of a lease. Whether another's lease has run out is judged by how long it stayed unchanged before
 * our own eyes, so clocks of different machines need not agree.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  #seen: { readonly lease: Lease; readonly atMs: number } | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Takes the lease if it is free, keeps it if it is ours. Two candidates never both succeed: the server refuses one. */
  async claim(scope: Scope): Promise<ClaimResult> {
    const { identity } = this.#options;
    try {
      // while it is ours, nobody else may have written: the version we wrote will do, and a reading is saved
      const mine = this.#seen?.lease.spec?.holderIdentity === identity ? this.#seen.lease : undefined;
      return await this.#claimFrom(mine ?? (await this.#read(scope)), scope);
    } catch (error) {
      if (!hasCode(error, "Conflict") && !hasCode(error, "AlreadyExists") && !hasCode(error, "NotFound")) throw error;
    }
    // someone else wrote: a rival, a person who edits labels, or our own write whose answer was lost
    const lease = await this.#read(scope);
    const holder = lease?.spec?.holderIdentity ?? "";
    return holder === identity ? this.#claimFrom(lease, scope) : { held: false, holder };
  }

  async #claimFrom(lease: Lease | undefined, scope: Scope): Promise<ClaimResult> {
    const { clock, identity } = this.#options;
    const holder = lease?.spec?.holderIdentity ?? "";
    if (holder !== "" && holder !== identity && !this.#hasRunOut()) return { held: false, holder };
    const sentAtMs = clock.monotonicMs();
    this.#note(await this.#write(lease, scope));
    return { held: true, sentAtMs };
  }

  /** Gives the lease back, if nobody took it meanwhile. */
  async release(scope: Scope): Promise<void> {
    const { client, namespace, name, identity, clock } = this.#options;
    const lease = this.#seen?.lease;
    if (lease?.spec?.holderIdentity !== identity) return;
    const object = { ...lease, spec: releasedSpec(lease.spec, clock.now()) };
    this.#note(await client.update(leases, { namespace, name, object }, scope));
  }

  async #read(scope: Scope): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      const lease = await client.get(leases, { namespace, name }, scope);
      if (this.#seen?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion) this.#note(lease);
      return lease;
    } catch (error) {
      if (!hasCode(error, "NotFound")) throw error;
      this.#seen = undefined;
      return undefined;
    }
  }

  async #write(lease: Lease | undefined, scope: Scope): Promise<Lease> {
    const { client, namespace, name, clock } = this.#options;
    const spec = claimedSpec(lease?.spec, { ...this.#options, now: clock.now() });
    if (lease) return client.update(leases, { namespace, name, object: { ...lease, spec } }, scope);
    const object = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace }, spec };
    return client.create(leases, { namespace, object }, scope);
  }

  #note(lease: Lease): void {
    this.#seen = { lease, atMs: this.#options.clock.monotonicMs() };
  }

  #hasRunOut(): boolean {
    if (!this.#seen) return true;
    const seconds = this.#seen.lease.spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? this.#options.leaseDurationMs : seconds * 1000;
    return this.#options.clock.monotonicMs() - this.#seen.atMs >= durationMs;
  }
}
