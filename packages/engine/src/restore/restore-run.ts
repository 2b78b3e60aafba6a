import type { Fields, Logger, Scope } from "@jibe/base";
import type { Restore } from "@jibe/plugin-sdk/contracts";
import type { Archive } from "../archive/archive.ts";
import type { Finding, Ledger } from "../ledger/ledger.ts";
import type { RestoreOperation } from "../operations/item-operation.ts";
import type { Slot, Slots } from "../slots/slots.ts";
import type { ExistingGuess } from "./existing-guess.ts";
import type { LiveObjects } from "./live-objects.ts";
import type { NamespaceGate } from "./namespace-gate.ts";
import type { ResolvedActions } from "./resolved-actions.ts";
import type { RestoreFilters } from "./restore-filters.ts";
import type { RestoreHooks } from "./restore-hooks.ts";
import type { RestoreRequest, RestoreRunPorts, RestoreSettings } from "./restore-request.ts";
import type { RestoredItem, RestoredItems } from "./restored-items.ts";
import type { TypeTable } from "./type-table.ts";
import type { VolumeRules } from "./volume-rules.ts";

/** Everything that the items of one run share. */
export interface RestoreRun {
  readonly request: RestoreRequest;
  /** The Restore as plugins see it. */
  readonly restore: Restore;
  readonly settings: RestoreSettings;
  readonly ports: RestoreRunPorts;
  readonly ledger: Ledger;
  /** For lines of which there is one per item. */
  readonly itemLog: Logger;
  readonly archive: Archive;
  readonly types: TypeTable;
  readonly filters: RestoreFilters;
  readonly actions: ResolvedActions;
  readonly items: RestoredItems;
  readonly slots: Slots;
  readonly namespaces: NamespaceGate;
  readonly volumes: VolumeRules;
  readonly hooks: RestoreHooks;
  readonly existing: ExistingGuess;
  readonly live: LiveObjects;
  readonly operations: RestoreOperation[];
  /** On everything that is restored: the names of backup and restore. */
  readonly labels: Readonly<Record<string, string>>;
  /** Restores an item that somebody asks for, once; resolves when it has come to its end. */
  restoreItem(place: ItemPlace, ask: ItemRequest, scope: Scope): Promise<ItemEnd>;
  /** When the restore began, in whole seconds; what is younger and bears its labels is its own work. */
  readonly startedMs: number;
}

/** Where an item lies in the archive, and where it goes. */
export interface ItemPlace {
  readonly groupResource: string;
  /** The original one; empty for cluster-scoped items. */
  readonly namespace: string;
  readonly name: string;
  readonly version?: string;
  readonly targetNamespace: string;
}

export interface ItemRequest {
  /** The item that asks; absent when the plan does. */
  readonly asker?: RestoredItem;
  /** Whether the filters do not count. */
  readonly mustInclude?: boolean;
  /** A slot that the asker has taken for it. */
  readonly slot?: Slot;
}

/** What an asker learns. */
export interface ItemEnd {
  readonly exists: boolean;
  /** Whether warnings or errors came up that nobody was told yet. */
  readonly hasFindings: boolean;
}

/** One item on its way. */
export interface ItemWork {
  readonly run: RestoreRun;
  readonly place: ItemPlace;
  readonly item: RestoredItem;
  readonly slot: Slot;
  readonly report: ItemReport;
}

export interface FindingDetail {
  readonly step: string;
  readonly plugin?: string;
  /** Where it is filed; the item's target namespace unless given, the run itself when `null`. */
  readonly namespace?: string | null;
}

/** Collects what is found on one item and gives it its one outcome. */
export interface ItemReport {
  error(message: string, detail: FindingDetail): void;
  warning(message: string, detail: FindingDetail): void;
  /** Something was found on an item that this one brought along. */
  inherit(): void;
  readonly hasFindings: boolean;
  /** The first error, if there was one. */
  readonly failure: ({ readonly cause: string } & FindingDetail) | undefined;
}

/** A class, as there is one for every item: its methods are not made anew each time. */
class FindingsReport implements ItemReport {
  readonly #run: Pick<RestoreRun, "ledger">;
  readonly #place: ItemPlace;
  readonly #log: Logger;
  hasFindings = false;
  failure: ItemReport["failure"];

  constructor(run: Pick<RestoreRun, "ledger">, place: ItemPlace, log: Logger) {
    this.#run = run;
    this.#place = place;
    this.#log = log;
  }

  error(message: string, detail: FindingDetail): void {
    this.hasFindings = true;
    this.failure ??= { cause: message, ...detail };
    this.#run.ledger.error(this.#finding(message, detail));
    this.#log.error("error restoring item", this.#fields(message));
  }

  warning(message: string, detail: FindingDetail): void {
    this.hasFindings = true;
    this.#run.ledger.warning(this.#finding(message, detail));
    this.#log.warn("warning on restoring item", this.#fields(message));
  }

  inherit(): void {
    this.hasFindings = true;
  }

  #finding(message: string, { namespace = this.#place.targetNamespace, plugin }: FindingDetail): Finding {
    const { groupResource: resource, name } = this.#place;
    const where = namespace === null ? {} : { namespace };
    return { resource, name, message, ...where, ...(plugin === undefined ? {} : { plugin }) };
  }

  #fields(error: string): Fields {
    const { groupResource: resource, targetNamespace: namespace, name } = this.#place;
    return { resource, namespace, name, error };
  }
}

export function itemReport(run: Pick<RestoreRun, "ledger">, place: ItemPlace, { log }: Pick<Scope, "log">): ItemReport {
  return new FindingsReport(run, place, log);
}
