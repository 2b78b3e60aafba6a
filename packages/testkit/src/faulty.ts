import type { Clock } from "@jibe/base";

/** What goes wrong with one call. Without `error` a delayed call then does its work. */
export interface Fault {
  /** Waits on `clock` first. */
  readonly delay?: { readonly ms: number; readonly clock: Clock };
  /** The call rejects with this. With `afterItems` its stream does, after that many items. */
  readonly error?: unknown;
  /** Only for methods that give an `AsyncIterable`: how much of the stream arrives before it breaks. */
  readonly afterItems?: number;
  /** The call's work is done, and then it fails all the same: the answer was lost. */
  readonly afterWork?: boolean;
  /** Never answers; ends only by the signal of the call's last argument. */
  readonly hang?: boolean;
}

/** Decides, for call number `call` (from 1) of a method, what goes wrong. */
export type FaultRule = (call: number, args: readonly unknown[]) => Fault | undefined;

export type FaultPlan<T> = { readonly [Method in keyof T]?: FaultRule };

/** The fault on these calls, counted from 1. */
export const onCalls =
  (calls: readonly number[], fault: Fault): FaultRule =>
  (call) =>
    calls.includes(call) ? fault : undefined;

/** The fault on the first `count` calls. */
export const onFirstCalls =
  (count: number, fault: Fault): FaultRule =>
  (call) =>
    call <= count ? fault : undefined;

/** The fault on every call. */
export const onEveryCall =
  (fault: Fault): FaultRule =>
  () =>
    fault;

/** The same object, with faults injected into the methods that the plan names. All other members are the target's. */
export function faulty<T extends object>(target: T, plan: FaultPlan<T>): T {
  const calls = new Map<PropertyKey, number>();
  return new Proxy(target, {
    get(_, property) {
      const value = Reflect.get(target, property, target) as unknown;
      if (typeof value !== "function") return value;
      const rule = plan[property as keyof T];
      if (!rule) return value.bind(target);
      return (...args: unknown[]) => {
        const call = (calls.get(property) ?? 0) + 1;
        calls.set(property, call);
        const fault = rule(call, args);
        const work = () => value.apply(target, args) as unknown;
        return fault ? misbehave(fault, work, args) : work();
      };
    },
  });
}

function misbehave(fault: Fault, work: () => unknown, args: readonly unknown[]): unknown {
  if (fault.afterItems === undefined) return failCall(fault, work, signalOf(args));
  const result = work();
  if (isAsyncIterable(result)) return cutStream(result, fault, signalOf(args));
  return Promise.resolve(result).then((value) =>
    isAsyncIterable(value) ? cutStream(value, fault, signalOf(args)) : Promise.reject(fault.error),
  );
}

async function failCall(fault: Fault, work: () => unknown, signal: AbortSignal): Promise<unknown> {
  if (fault.afterWork) await work();
  await waitAs(fault, signal);
  if (fault.error !== undefined) throw fault.error;
  return work();
}

async function waitAs({ delay, hang }: Fault, signal: AbortSignal): Promise<void> {
  if (delay) await delay.clock.sleep(delay.ms, { signal });
  if (!hang) return;
  await new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function* cutStream(stream: AsyncIterable<unknown>, fault: Fault, signal: AbortSignal): AsyncGenerator<unknown> {
  let count = 0;
  for await (const item of stream) {
    if (count++ >= (fault.afterItems ?? 0)) break;
    yield item;
  }
  await waitAs(fault, signal);
  if (fault.error !== undefined) throw fault.error;
}

function signalOf(args: readonly unknown[]): AbortSignal {
  const last = args.at(-1);
  if (typeof last === "object" && last !== null && "signal" in last && last.signal instanceof AbortSignal)
    return last.signal;
  return new AbortController().signal;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
