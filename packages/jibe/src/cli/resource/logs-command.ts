import { AppError, hasCode, type Scope } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import type { Backup, DownloadTargetKind, Restore } from "../../api/resources.ts";
import { type ClusterAccess, openClusterAccess } from "../cluster-access.ts";
import { type CliWorld, type Command, command } from "../command.ts";
import { downloadFlags } from "../download/download-flags.ts";
import { downloadText } from "../download/read-file.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";

const followMs = 1000;
const logsFlags = {
  ...downloadFlags,
  follow: flag.boolean("Go on until the run has ended", false, { short: "f" }),
} as const;
const withoutLog: ReadonlySet<string | undefined> = new Set([
  undefined,
  "New",
  "Queued",
  "ReadyToStart",
  "FailedValidation",
]);

interface LogKind {
  readonly kind: "backup" | "restore";
  readonly type: ResourceType;
  readonly target: DownloadTargetKind;
}

/** `logs` of a backup or restore. */
export function logsCommand({ kind, type, target }: LogKind): Command<typeof logsFlags> {
  return command({
    usage: `${kind} logs NAME`,
    summary: `Show the log of a ${kind}`,
    flags: logsFlags,
    async run({ args, flags }, world, scope) {
      const [name, ...more] = args;
      if (!name || more.length > 0) throw new AppError("InvalidArgument", `one name is needed: jibe ${kind} logs NAME`);
      await using access = await openClusterAccess(flags, world, scope);
      const options = {
        access,
        clock: world.clock,
        timeoutMs: flags.timeout,
        insecureSkipTlsVerify: flags.insecureSkipTlsVerify,
        ...(flags.cacert ? { caCertFile: flags.cacert } : {}),
      };
      const read = (inner: Scope) => downloadText({ kind: target, name }, options, inner);
      if (flags.follow) await follow({ kind, type, name }, read, access, world, scope);
      else {
        const { status } = await access.get<Backup | Restore>(type, name, scope);
        if (withoutLog.has(status?.phase)) {
          throw new AppError(
            "NotFound",
            `logs for ${kind} ${JSON.stringify(name)} are not available yet: it is ${status?.phase ?? "New"}; use --follow to wait for them`,
          );
        }
        for await (const piece of read(scope)) world.out.text(piece);
      }
      return exitCode.ok;
    },
  });
}

/** Prints what the log gained since the last look, until the run has ended and its whole log was printed. */
async function follow(
  { kind, type, name }: { readonly kind: string; readonly type: ResourceType; readonly name: string },
  read: (scope: Scope) => AsyncIterable<string>,
  access: ClusterAccess,
  { out, clock }: CliWorld,
  scope: Scope,
): Promise<void> {
  const { isEnded } = await import("@jibe/engine");
  let printed = 0;
  while (true) {
    const { status } = await access.get<Backup | Restore>(type, name, scope);
    const ended = isEnded(status?.phase);
    if (status?.phase === "FailedValidation")
      throw new AppError(
        "NotFound",
        `${kind} ${JSON.stringify(name)} failed validation and has no log: ${(status.validationErrors ?? []).join("; ")}`,
      );
    if (!withoutLog.has(status?.phase))
      printed = await printNew(read(scope), printed, out.text).catch((error: unknown) => {
        if (ended || !hasCode(error, "NotFound")) throw error;
        return printed; // the run has not uploaded its log yet
      });
    if (ended) return;
    await clock.sleep(followMs, scope);
  }
}

async function printNew(
  pieces: AsyncIterable<string>,
  printed: number,
  print: (text: string) => void,
): Promise<number> {
  let seen = 0;
  for await (const piece of pieces) {
    const fresh = Math.max(0, printed - seen);
    seen += piece.length;
    if (fresh < piece.length) print(piece.slice(fresh));
  }
  return Math.max(seen, printed);
}
