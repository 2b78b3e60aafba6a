import type { Writable } from "node:stream";

/** Sends all messages, waiting whenever the other side is slower, and then half-closes. Stops at once when `ended`. */
export async function sendAll<T>(
  call: Pick<Writable, "end" | "once" | "off"> & { write(message: T): boolean },
  messages: AsyncIterable<T>,
  ended: Promise<unknown>,
): Promise<void> {
  const iterator = messages[Symbol.asyncIterator]();
  const end = ended.then(() => undefined);
  while (true) {
    const next = await Promise.race([iterator.next(), end]);
    if (!next) {
      // A source that is still busy is told, but not waited for.
      iterator.return?.().catch(() => {});
      return;
    }
    if (next.done) {
      call.end();
      return;
    }
    if (call.write(next.value)) continue;
    const drained = Promise.withResolvers<void>();
    call.once("drain", drained.resolve);
    await Promise.race([drained.promise, end]);
    call.off("drain", drained.resolve);
  }
}
