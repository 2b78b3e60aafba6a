import type { Scope } from "@jibe/base";
import type { LiveLog } from "@jibe/engine";

/** The logs of runs under way in this server, for those who follow them. */
export class LiveLogs {
  readonly #open = new Map<string, LiveLog>();

  /** Offers a run's log until the run ends. */
  offer(name: string): { readonly onLog: (log: LiveLog) => void } & Disposable {
    return {
      onLog: (log) => void this.#open.set(name, log),
      [Symbol.dispose]: () => void this.#open.delete(name),
    };
  }

  /** What the run has logged so far, gzipped; nothing when no run of that name is under way here. */
  soFar(name: string, scope: Scope): AsyncIterable<Uint8Array> | undefined {
    return this.#open.get(name)?.soFar(scope);
  }
}
