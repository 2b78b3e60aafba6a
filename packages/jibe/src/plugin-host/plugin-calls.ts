import { AppError, type Clock, type Scope } from "@jibe/base";
import type { GrpcChannel } from "@jibe/go-plugin";
import type { AnnouncedPlugin } from "@jibe/plugin-sdk/wire";
import { IdleWatch } from "./idle-watch.ts";
import type { PluginExecutable } from "./plugin-executable.ts";
import type { HostLimits } from "./settings.ts";

/** Where a plugin's calls go, and under which limits. */
export interface PluginCalls {
  readonly name: string;
  /** The call that stores and snapshotters begin with. */
  initialize(init: (channel: GrpcChannel, scope: Scope) => Promise<void>, scope: Scope): Promise<void>;
  /** One call with an answer. */
  call<T>(method: string, work: (channel: GrpcChannel, scope: Scope) => Promise<T>, scope: Scope): Promise<T>;
  /** A call that does the plugin's real work and may take long. */
  longCall<T>(method: string, work: (channel: GrpcChannel, scope: Scope) => Promise<T>, scope: Scope): Promise<T>;
  /** A call that sends or receives a stream: it may take any time as long as it moves. */
  stream<T>(
    method: string,
    work: (channel: GrpcChannel, scope: Scope, idle: IdleWatch) => Promise<T>,
    scope: Scope,
  ): Promise<T>;
}

/** Calls to one plugin of an executable. Errors name the plugin and what it was doing, and keep their code. */
export function pluginCalls(
  { kind, name }: Pick<AnnouncedPlugin, "kind" | "name">,
  findExecutable: () => PluginExecutable,
  { callTimeoutMs, executeTimeoutMs, clock, onCall }: HostLimits,
): PluginCalls {
  const named = (method: string, error: unknown) => {
    if (!(error instanceof AppError)) return error;
    const fields = { ...error.fields, plugin: name };
    return new AppError(error.code, `plugin "${name}" failed in ${method}`, { cause: error, fields });
  };
  const initialize = async (init: (channel: GrpcChannel, scope: Scope) => Promise<void>, scope: Scope) => {
    const limit = { ms: callTimeoutMs, clock, method: "Init" };
    try {
      await findExecutable().initialize(
        kind,
        (channel) => withinLimit(limit, (inner) => init(channel, inner), scope),
        scope,
      );
    } catch (error) {
      scope.signal.throwIfAborted();
      throw named("Init", error);
    }
  };
  const limited = async <T>(
    method: string,
    ms: number,
    work: (channel: GrpcChannel, scope: Scope) => Promise<T>,
    scope: Scope,
  ): Promise<T> => {
    const began = clock.monotonicMs();
    const ended = (outcome: "ok" | "error") =>
      onCall({ plugin: name, method, outcome, ms: clock.monotonicMs() - began });
    const executable = findExecutable();
    try {
      const answer = await executable.use(
        kind,
        (channel) => withinLimit({ ms, clock, method }, (inner) => work(channel, inner), scope),
        scope,
      );
      ended("ok");
      return answer;
    } catch (error) {
      scope.signal.throwIfAborted();
      ended("error");
      // A death while it did its work is an error of the run besides that of the item, as under Velero.
      if (method === "Execute") executable.tellDeath();
      throw named(method, error);
    }
  };
  return {
    name,
    initialize,
    call: (method, work, scope) => limited(method, callTimeoutMs, work, scope),
    longCall: (method, work, scope) => limited(method, executeTimeoutMs, work, scope),
    async stream(method, work, scope) {
      using idle = new IdleWatch({ ms: callTimeoutMs, clock, what: method });
      const signal = AbortSignal.any([scope.signal, idle.signal]);
      try {
        return await findExecutable().use(
          kind,
          (channel) => idle.guard(work(channel, { ...scope, signal }, idle)),
          scope,
        );
      } catch (error) {
        scope.signal.throwIfAborted();
        throw named(method, error);
      }
    },
  };
}

/** A deadline and the run's end in one signal. Made by hand, as this runs for every item: calls end with their signal. */
async function withinLimit<T>(
  { ms, clock, method }: { readonly ms: number; readonly clock: Clock; readonly method: string },
  work: (scope: Scope) => Promise<T>,
  scope: Scope,
): Promise<T> {
  scope.signal.throwIfAborted();
  const stopping = new AbortController();
  const stop = () => stopping.abort(scope.signal.reason);
  scope.signal.addEventListener("abort", stop, { once: true });
  using _timer = clock.after(ms, () =>
    stopping.abort(new AppError("DeadlineExceeded", `${method} took longer than ${ms} ms`)),
  );
  try {
    return await work({ signal: stopping.signal, log: scope.log });
  } finally {
    scope.signal.removeEventListener("abort", stop);
  }
}
