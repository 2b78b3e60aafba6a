import { messageOf, type Scope } from "@jibe/base";
import type { WorkQueue } from "./work-queue.ts";

/** What work on a key asks for; nothing means that it is finished until the key is added again. */
export interface WorkResult {
  readonly requeueAfterMs?: number;
}

export interface ProcessOptions<K> {
  readonly workers: number;
  readonly handle: (key: K, scope: Scope) => Promise<WorkResult | undefined>;
}

/**
 * Works on a queue until it is shut down or the scope is stopped. A key whose work fails comes back with growing delay.
 * Resolves once every piece of work under way has ended.
 */
export async function processQueue<K>(queue: WorkQueue<K>, options: ProcessOptions<K>, scope: Scope): Promise<void> {
  await Promise.all(Array.from({ length: options.workers }, () => work(queue, options, scope)));
}

async function work<K>(queue: WorkQueue<K>, { handle }: ProcessOptions<K>, scope: Scope): Promise<void> {
  while (true) {
    const key = await queue.take(scope).catch(() => undefined); // only a stopped scope makes it fail
    if (key === undefined) return;
    try {
      const result = await handle(key, scope);
      queue.forget(key);
      if (result?.requeueAfterMs !== undefined) queue.addAfter(key, result.requeueAfterMs);
    } catch (error) {
      if (!scope.signal.aborted) {
        scope.log.warn("work on a key failed", { key, failures: queue.failuresOf(key) + 1, reason: messageOf(error) });
        queue.addRateLimited(key);
      }
    } finally {
      queue.done(key);
    }
  }
}
