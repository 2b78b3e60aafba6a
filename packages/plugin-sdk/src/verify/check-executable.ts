import { spawn } from "node:child_process";
import { AppError, type Clock, type Scope, withDeadline } from "@jibe/base";
import { type PluginProcess, startPlugin } from "@jibe/go-plugin";
import {
  type AnnouncedPlugin,
  extraKinds,
  extraKindsVariable,
  listPlugins,
  remoteBackupItemActionV1,
  veleroHandshake,
} from "../wire/index.ts";
import type { Checks } from "./report.ts";
import { errorInTrial, must } from "./subject.ts";

/** How the executable is run. */
export interface Trial {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly checks: Checks;
}

const subject = "executable";

/** Starts the executable as jibe does. */
export function startTrial({ command, args, env, timeoutMs, clock }: Trial, scope: Scope): Promise<PluginProcess> {
  return startPlugin(
    {
      command,
      args,
      env: { ...env, [extraKindsVariable]: extraKinds.join(",") },
      handshake: veleroHandshake,
      startTimeoutMs: timeoutMs,
      errorFrom: errorInTrial,
      clock,
    },
    scope,
  );
}

/** What holds for the executable as a whole: how it starts, what it lists, how it ends. */
export async function checkExecutable(trial: Trial, process: PluginProcess, scope: Scope): Promise<void> {
  const { checks } = trial;
  const limited = (name: string, work: (inner: Scope) => Promise<void>) =>
    checks.run(subject, name, scope, () =>
      withDeadline({ ms: trial.timeoutMs, clock: trial.clock, what: name }, scope, work),
    );
  await limited("answers the health check", (inner) => process.checkHealth(inner));
  await limited("lists its plugins, with good names and known kinds", async (inner) => {
    checkList(await listPlugins(process.channel, inner), trial.command);
  });
  await limited("announces nothing that Velero would refuse", async (inner) => {
    await using plain = await startPlugin(
      { ...trial, env: { ...trial.env, [extraKindsVariable]: "" }, handshake: veleroHandshake },
      inner,
    );
    const refused = (await listPlugins(plain.channel, inner)).filter(({ kind }) => extraKinds.includes(kind));
    must(refused.length === 0, `without ${extraKindsVariable} it still announces ${refused[0]?.kind}`);
  });
  await limited("refuses a plugin name it does not have", async (inner) => {
    const asked = remoteBackupItemActionV1(process.channel, "verify.example.io/none").appliesTo(inner);
    const answered = await asked.then(
      () => true,
      () => false,
    );
    must(!answered, "it answered for a plugin that it did not list");
  });
  await limited("does not run without a host", (inner) => checkCookie(trial, inner));
}

/** The executable must end when it is asked to, and be as good as new when it is started again. */
export async function checkEnd(trial: Trial, process: PluginProcess, scope: Scope): Promise<void> {
  const { checks } = trial;
  let listed: readonly AnnouncedPlugin[] = [];
  await checks.run(subject, "ends when it is asked to", scope, async () => {
    listed = await listPlugins(process.channel, scope);
    await process[Symbol.asyncDispose]();
    const { exit } = process;
    must(exit?.signal === undefined, "it had to be killed: it did not end within two seconds after Shutdown");
  });
  await checks.run(subject, "starts again after it was killed", scope, async () => {
    await using first = await startTrial(trial, scope);
    first.kill();
    await first.exited;
    await using second = await startTrial(trial, scope);
    const again = await listPlugins(second.channel, scope);
    must(JSON.stringify(again) === JSON.stringify(listed), "it lists other plugins than before");
  });
}

function checkList(plugins: readonly AnnouncedPlugin[], command: string): void {
  must(plugins.length > 0, "it lists no plugin");
  const seen = new Set<string>();
  for (const { kind, name, command: announced } of plugins) {
    must(!seen.has(`${kind} ${name}`), `${kind} ${name} is listed twice`);
    seen.add(`${kind} ${name}`);
    must(announced !== "", `${kind} ${name} has no command: a host could not run it`);
    must(
      announced === plugins[0]?.command,
      `${kind} ${name} has another command (${announced}) than the rest: they would not share a process`,
    );
  }
  const other = plugins[0]?.command ?? "";
  must(!/(^|\/)(node|python3?|bash|sh)$/.test(other), `the command is ${other}, an interpreter, instead of ${command}`);
}

async function checkCookie({ command, args, env, clock, timeoutMs }: Trial, scope: Scope): Promise<void> {
  const { [veleroHandshake.cookieKey]: _cookie, ...bare } = env;
  const child = spawn(command, args, { env: { ...bare }, stdio: ["ignore", "ignore", "ignore"] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? -1));
  });
  try {
    const limit = { ms: timeoutMs / 2, clock, what: "ending without a host" };
    const code = await withDeadline(limit, scope, () => ended);
    if (code === 0) throw new AppError("InvalidArgument", "it ended with status 0, as if all were well");
  } finally {
    child.kill("SIGKILL");
  }
}
