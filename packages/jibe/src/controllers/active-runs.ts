import { canceledByUser } from "../api/names.ts";

/** Why a run was stopped before its end. */
export type StopReason = "canceled" | "server-stopping";

/** What the signal of a stopped run carries. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(reason === "canceled" ? canceledByUser : "the server is stopping");
    this.reason = reason;
  }
}

/** A run under way in this server. */
export interface ActiveRun extends Disposable {
  readonly signal: AbortSignal;
}

/** The backups or restores that this process is working on right now. */
export class ActiveRuns {
  readonly #running = new Map<string, AbortController>();

  get size(): number {
    return this.#running.size;
  }

  names(): string[] {
    return [...this.#running.keys()];
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** Notes a run until it is disposed. Its signal ends with the outer one or when someone cancels it. */
  begin(name: string, outer: AbortSignal): ActiveRun {
    const own = new AbortController();
    this.#running.set(name, own);
    return {
      signal: AbortSignal.any([outer, own.signal]),
      [Symbol.dispose]: () => void this.#running.delete(name),
    };
  }

  /** Stops a run; false when there is none of that name here. */
  cancel(name: string): boolean {
    const own = this.#running.get(name);
    own?.abort(new RunStopped("canceled"));
    return own !== undefined;
  }
}

/** Whether the object asks to be stopped, by field or by annotation. */
export function isCancelRequested(object: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly cancel?: boolean };
}): boolean {
  return object.spec.cancel === true || object.metadata.annotations?.["jibe.io/cancel"] === "true";
}
