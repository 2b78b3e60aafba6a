import { LineBatch, type WatchSink } from "./line-batch.ts";

/** What a watch asks to hear. */
interface Subject {
  /** Watches with the same key see the same lines. */
  readonly key: string;
  /** Starts to hand over lines; called once for all who share the key. */
  readonly listen: (add: (line: Buffer | undefined) => void) => Disposable;
}

/** A watcher's place; disposing gives it up. */
export interface Seat extends Disposable {
  /** Sends what has happened up to now, so that something else can follow it. */
  flush(): void;
}

interface Audience {
  readonly sinks: Set<WatchSink>;
  readonly batch: LineBatch;
  readonly listening: Disposable;
}

/**
 * Those who watch the same objects in the same form. Each change is judged, encoded and put into a piece with the others
 * of its turn once for all of them, so that another watcher costs one write and no more.
 */
export class Audiences {
  readonly #byKey = new Map<string, Audience>();

  join(sink: WatchSink, subject: Subject): Seat {
    const audience = this.#byKey.get(subject.key) ?? this.#gather(subject);
    // What is on its way is older than what the newcomer has been told.
    audience.batch.flush();
    audience.sinks.add(sink);
    return {
      flush: () => audience.batch.flush(),
      [Symbol.dispose]: () => this.#leave(sink, subject.key, audience),
    };
  }

  #gather({ key, listen }: Subject): Audience {
    const sinks = new Set<WatchSink>();
    const batch = new LineBatch({
      write: (piece) => {
        for (const sink of sinks) sink.write(piece);
      },
    });
    const listening = listen((line) => {
      if (line && batch.isEmpty) setImmediate(() => batch.flush());
      batch.add(line);
    });
    const audience = { sinks, batch, listening };
    this.#byKey.set(key, audience);
    return audience;
  }

  #leave(sink: WatchSink, key: string, { sinks, listening }: Audience): void {
    if (!sinks.delete(sink) || sinks.size > 0) return;
    listening[Symbol.dispose]();
    this.#byKey.delete(key);
  }
}
