import { isEnded } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { MemoryCluster } from "../../packages/engine/test/memory-cluster.ts";
import type { SeededRandom } from "./seeded-random.ts";
import {
  deletedAt,
  type RunPlan,
  requestedBackup,
  requestedDeletion,
  requestedRestore,
  serverNamespace,
} from "./simulated-world.ts";
import type { Weather, WorldFault } from "./weather.ts";

/** What users make: it is all that controllers are called for. */
export type RequestKind = "backup" | "restore" | "deletion";

export interface RequestedObject {
  readonly kind: RequestKind;
  readonly name: string;
}

const resources: Readonly<Record<RequestKind, string>> = {
  backup: "backups.velero.io",
  restore: "restores.velero.io",
  deletion: "deletebackuprequests.velero.io",
};

export function readRequested(cluster: MemoryCluster, { kind, name }: RequestedObject): KubernetesObject | undefined {
  return cluster.read(resources[kind], name, serverNamespace);
}

export function phaseOf(found: KubernetesObject | undefined): string | undefined {
  return (found?.["status"] as { phase?: string } | undefined)?.phase;
}

interface Wish {
  readonly fault?: WorldFault;
  /** Steps from when it became possible. */
  steps: number;
  isPossible(): boolean;
  come(): void;
}

const mostDeletions = 3;

/** When a user changes its mind: some time later, or soon after a run has come to a phase that few runs are in for long. */
interface Moment {
  readonly steps: number;
  readonly phase?: string;
}

const shortPhases = [
  "InProgress",
  "WaitingForPluginOperations",
  "WaitingForPluginOperationsPartiallyFailed",
  "Finalizing",
  "FinalizingPartiallyFailed",
];

function drawMoment(random: SeededRandom): Moment {
  if (random.chance(0.4)) return { steps: random.between(1, 300) };
  return { steps: random.between(0, 20), phase: random.pick(shortPhases) };
}

const isNow = (phase: string | undefined, found: KubernetesObject | undefined) =>
  phase === undefined || phaseOf(found) === phase;

/** The user: asks for backups, for restores of what came of them, and cancels and deletes when the weather says so. */
export class User {
  readonly #cluster: MemoryCluster;
  readonly #tell: (line: string, fault: WorldFault | undefined) => void;
  readonly #wishes: Wish[];
  readonly #asked: RequestedObject[] = [];

  constructor(options: {
    readonly cluster: MemoryCluster;
    readonly random: SeededRandom;
    readonly weather: Weather;
    readonly plans: readonly RunPlan[];
    readonly tell: (line: string, fault: WorldFault | undefined) => void;
  }) {
    this.#cluster = options.cluster;
    this.#tell = options.tell;
    const { random, weather, plans } = options;
    this.#wishes = [
      ...plans.map((plan, index) => this.#backup(plan, index === 0 ? 0 : random.between(0, 200))),
      ...plans.map((plan) => this.#restore(plan)),
      ...(weather.cancelBackup ? [this.#cancel("backup", random.pick(plans).backup, drawMoment(random))] : []),
      ...(weather.cancelRestore ? [this.#cancel("restore", random.pick(plans).restore, drawMoment(random))] : []),
      ...(weather.deleteRestore ? [this.#removal(random.pick(plans).restore, drawMoment(random))] : []),
      ...(weather.deleteBackup ? [this.#deletion(random.pick(plans).backup, random.between(1, 600), 1)] : []),
    ];
  }

  /** Everything that was ever asked for, also what is gone. */
  get asked(): readonly RequestedObject[] {
    return this.#asked;
  }

  /** One step passes. */
  act(): void {
    for (const wish of this.#wishes.filter((each) => each.isPossible())) if (wish.steps-- <= 0) this.#grant(wish);
  }

  /** Nothing else happens any more: does what it still wants to do, without delay. False when that is nothing. */
  actAtLast(): boolean {
    const next = this.#wishes.find((wish) => wish.isPossible());
    if (next) this.#grant(next);
    return next !== undefined;
  }

  #grant(wish: Wish): void {
    this.#wishes.splice(this.#wishes.indexOf(wish), 1);
    wish.come();
  }

  #ask(kind: RequestKind, object: KubernetesObject): void {
    this.#asked.push({ kind, name: object.metadata.name });
    this.#cluster.add(object);
  }

  #read(kind: RequestKind, name: string): KubernetesObject | undefined {
    return readRequested(this.#cluster, { kind, name });
  }

  #isAtWork(kind: RequestKind, name: string): boolean {
    const found = this.#read(kind, name);
    return found !== undefined && !isEnded(phaseOf(found));
  }

  #backup(plan: RunPlan, steps: number): Wish {
    return { steps, isPossible: () => true, come: () => this.#ask("backup", requestedBackup(plan)) };
  }

  #restore(plan: RunPlan): Wish {
    const isPossible = () =>
      ["Completed", "PartiallyFailed"].includes(phaseOf(this.#read("backup", plan.backup)) ?? "");
    return { steps: 0, isPossible, come: () => this.#ask("restore", requestedRestore(plan)) };
  }

  #cancel(kind: "backup" | "restore", name: string, { steps, phase }: Moment): Wish {
    const come = () => {
      const found = this.#read(kind, name);
      if (!found) return;
      this.#tell(`user cancels ${kind} ${name}`, `cancel-${kind}`);
      this.#cluster.add({ ...found, spec: { ...(found["spec"] as object), cancel: true } });
    };
    const isPossible = () => this.#isAtWork(kind, name) && isNow(phase, this.#read(kind, name));
    return { steps, isPossible, come };
  }

  /** As `kubectl delete restore` does. */
  #removal(name: string, { steps, phase }: Moment): Wish {
    const come = () => {
      const found = this.#read("restore", name);
      if (!found) return;
      this.#tell(`user deletes restore ${name}`, "delete-restore");
      const { finalizers = [] } = found.metadata;
      if (finalizers.length === 0) return this.#cluster.remove(resources.restore, name, serverNamespace);
      const metadata = { ...found.metadata, deletionTimestamp: deletedAt };
      this.#cluster.add({ ...found, metadata });
    };
    const isPossible = () => {
      const found = this.#read("restore", name);
      return found !== undefined && isNow(phase, found);
    };
    return { steps, isPossible, come };
  }

  #deletion(backup: string, steps: number, attempt: number): Wish {
    const name = `delete-${backup}-${attempt}`;
    const come = () => {
      this.#tell(`user deletes backup ${backup}`, "delete-backup");
      this.#ask("deletion", requestedDeletion(name, backup));
      if (attempt < mostDeletions) this.#wishes.push(this.#deletionAgain(backup, name, attempt + 1));
    };
    return { steps, isPossible: () => this.#read("backup", backup) !== undefined, come };
  }

  /** One that was refused or met errors is asked for again, once it has been answered and the backup has ended. */
  #deletionAgain(backup: string, before: string, attempt: number): Wish {
    const isPossible = () => {
      const phase = phaseOf(this.#read("backup", backup));
      const hasEnded = isEnded(phase) || phase === "Deleting";
      return hasEnded && phaseOf(this.#read("deletion", before)) === "Processed";
    };
    return { ...this.#deletion(backup, 20, attempt), isPossible };
  }
}
