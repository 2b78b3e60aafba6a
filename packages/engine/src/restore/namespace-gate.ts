import { AppError, hasCode, messageOf, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { Archive } from "../archive/archive.ts";
import { bodyFromObject } from "../item/item-body.ts";
import type { ResourceType } from "../ports/cluster.ts";
import { textAt } from "./object-edits.ts";
import { pollUntil } from "./poll-until.ts";
import type { RestorePorts, RestoreSettings } from "./restore-request.ts";
import { retryWrite } from "./retry-write.ts";

export type NamespaceOutcome = "created" | "existed";

export interface NamespaceGateOptions {
  readonly ports: Pick<RestorePorts, "cluster" | "clock">;
  readonly archive: Archive;
  readonly settings: Pick<RestoreSettings, "terminatingResourceTimeoutMs">;
  /** Told once for each namespace that was made here. */
  readonly onCreated: (name: string) => void;
}

const namespaceType: ResourceType = {
  group: "",
  version: "v1",
  resource: "namespaces",
  kind: "Namespace",
  namespaced: false,
  verbs: [],
  shortNames: ["ns"],
  singular: "namespace",
  subresources: ["status", "finalize"],
};

/** Sees to it that target namespaces exist: each is looked at once, made if needed, and waited for while an old one goes. */
export class NamespaceGate {
  readonly #options: NamespaceGateOptions;
  readonly #known = new Map<string, Promise<NamespaceOutcome>>();
  readonly #ready = new Set<string>();

  constructor(options: NamespaceGateOptions) {
    this.#options = options;
  }

  /** True when nothing has to be waited for. */
  isReady(target: string): boolean {
    return this.#ready.has(target);
  }

  /** Makes it as the backup has it. A failure is remembered: later items of that namespace fail at once. */
  ensure(original: string, target: string, scope: Scope): Promise<NamespaceOutcome> {
    const known = this.#known.get(target);
    if (known) return known;
    const ensuring = this.#ensure(original, target, scope).then((outcome) => {
      this.#ready.add(target);
      return outcome;
    });
    this.#known.set(target, ensuring);
    return ensuring;
  }

  async #ensure(original: string, target: string, scope: Scope): Promise<NamespaceOutcome> {
    const exists = await this.#existsForGood(target, scope);
    if (exists || !(await this.#create(original, target, scope))) return "existed";
    this.#options.onCreated(target);
    return "created";
  }

  /** Whether it is there to stay; one that terminates is waited for. */
  async #existsForGood(name: string, scope: Scope): Promise<boolean> {
    const { ports, settings } = this.#options;
    let found: KubernetesObject | undefined;
    const isSettled = async () => {
      found = await this.#get(name, scope);
      return (
        !found || (found.metadata.deletionTimestamp === undefined && textAt(found, "status", "phase") !== "Terminating")
      );
    };
    const limits = {
      clock: ports.clock,
      timeoutMs: settings.terminatingResourceTimeoutMs,
      firstDelayMs: 1000,
      maxDelayMs: 1000,
    };
    if (await pollUntil(isSettled, limits, scope)) return found !== undefined;
    throw new AppError(
      "DeadlineExceeded",
      `timed out waiting for terminating namespace ${name} to disappear before restoring`,
    );
  }

  async #get(name: string, scope: Scope): Promise<KubernetesObject | undefined> {
    try {
      return (await this.#options.ports.cluster.get(namespaceType, { name }, scope)).object;
    } catch (cause) {
      scope.signal.throwIfAborted();
      if (hasCode(cause, "NotFound")) return undefined;
      throw new AppError("Unavailable", `error getting namespace ${name}`, { cause });
    }
  }

  /** False when somebody else was faster. */
  async #create(original: string, target: string, scope: Scope): Promise<boolean> {
    const { ports } = this.#options;
    const body = bodyFromObject(await this.#namespaceFor(original, target, scope));
    try {
      await retryWrite(() => ports.cluster.create(namespaceType, { body }, scope), ports.clock, scope);
      return true;
    } catch (cause) {
      scope.signal.throwIfAborted();
      if (hasCode(cause, "AlreadyExists")) return false;
      throw new AppError("Unavailable", `error creating namespace ${target}: ${messageOf(cause)}`, { cause });
    }
  }

  /** The backup's copy with its labels, annotations and spec; a bare one when there is none that can be read. */
  async #namespaceFor(original: string, target: string, scope: Scope): Promise<KubernetesObject> {
    const bare = { apiVersion: "v1", kind: "Namespace", metadata: { name: target } };
    const place = { groupResource: "namespaces", namespace: "", name: original };
    if (!this.#options.archive.has(place)) return bare;
    try {
      const { apiVersion, kind, metadata, spec } = (await this.#options.archive.read(place, scope)).object;
      const { labels, annotations } = metadata;
      const kept = { name: target, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
      return { apiVersion, kind, metadata: kept, ...(spec === undefined ? {} : { spec }) };
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.warn("cannot read a namespace from the backup, making a bare one", {
        name: target,
        error: messageOf(error),
      });
      return bare;
    }
  }
}
