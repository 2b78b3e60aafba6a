import type { Clock } from "@jibe/base";
import type { RunEvent } from "../ports/run-events.ts";
import type { StatusWriter } from "../progress/status-writer.ts";
import type { BackupStatusPatch } from "./backup-request.ts";
import type { ItemAccount } from "./item-account.ts";

const eventIntervalMs = 200;

/** Tells the status writer and a live view how far the run has come. */
export class RunProgress {
  readonly #account: ItemAccount;
  readonly #clock: Clock;
  readonly #writer: StatusWriter<BackupStatusPatch>;
  readonly #onEvent: ((event: RunEvent) => void) | undefined;
  readonly #startMs: number;
  #step: RunEvent["step"] = "collect";
  #lastEventMs = Number.NEGATIVE_INFINITY;

  constructor(options: {
    account: ItemAccount;
    clock: Clock;
    writer: StatusWriter<BackupStatusPatch>;
    onEvent: ((event: RunEvent) => void) | undefined;
  }) {
    this.#account = options.account;
    this.#clock = options.clock;
    this.#writer = options.writer;
    this.#onEvent = options.onEvent;
    this.#startMs = options.clock.monotonicMs();
  }

  enter(step: RunEvent["step"]): void {
    this.#step = step;
    this.#emit();
  }

  /** After an item; cheap enough to be called for each. */
  advance(groupResource: string): void {
    const { total, done } = this.#account;
    this.#writer.update({ progress: progressOf(total, done) });
    if (!this.#onEvent || this.#clock.monotonicMs() - this.#lastEventMs < eventIntervalMs) return;
    this.#emit(groupResource);
  }

  #emit(groupResource?: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#lastEventMs = nowMs;
    const seconds = Math.max(0.001, (nowMs - this.#startMs) / 1000);
    this.#onEvent?.({
      step: this.#step,
      ...(groupResource === undefined ? {} : { groupResource }),
      itemsDone: this.#account.done,
      itemsTotal: Math.max(this.#account.total, this.#account.done),
      itemsPerSecond: this.#account.done / seconds,
    });
  }
}

/** Zeros are left out, as in every status. */
export function progressOf(totalItems: number, itemsBackedUp: number): NonNullable<BackupStatusPatch["progress"]> {
  return { ...(totalItems === 0 ? {} : { totalItems }), ...(itemsBackedUp === 0 ? {} : { itemsBackedUp }) };
}
