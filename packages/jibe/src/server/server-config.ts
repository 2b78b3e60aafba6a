import { AppError } from "@jibe/base";
import { defaultPriorities, parsePriorities, type ResourcePriorities } from "@jibe/engine";
import type { FlagValues } from "../cli/flags.ts";
import type { serverFlags } from "../cli/server/server-flags.ts";

export const controllerNames = [
  "backup-queue",
  "backup",
  "backup-operations",
  "backup-deletion",
  "backup-finalizer",
  "backup-sync",
  "download-request",
  "gc",
  "backup-repo",
  "restore",
  "restore-operations",
  "schedule",
  "server-status-request",
  "restore-finalizer",
] as const;

/** How often the server sends a call: an API server may be away for half a minute without costing a run an item. */
export const serverCallAttempts = 20;

const needlessForRestores = ["backup", "backup-deletion", "backup-finalizer", "backup-operations", "gc", "schedule"];

/** What the flags and the environment make of a server, checked and frozen. */
export interface ServerConfig {
  readonly flags: FlagValues<typeof serverFlags>;
  readonly namespace: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments that plugins receive, as under Velero. */
  readonly pluginArgs: readonly string[];
  readonly disabled: ReadonlySet<string>;
  readonly priorities: ResourcePriorities;
  readonly localZone: string;
  readonly scratchDir: string;
  /** Tells this process from every other: host and a random part. */
  readonly identity: string;
}

/** Which controllers the flags turn off. An unknown name is an error. */
export function disabledControllers(
  flags: Pick<FlagValues<typeof serverFlags>, "disableControllers" | "restoreOnly">,
): Set<string> {
  const known: readonly string[] = controllerNames;
  const unknown = flags.disableControllers.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new AppError(
      "InvalidArgument",
      `--disable-controllers: unknown ${unknown.join(", ")}; known are ${known.join(", ")}`,
    );
  }
  return new Set([...flags.disableControllers, ...(flags.restoreOnly ? needlessForRestores : [])]);
}

export function prioritiesFrom(text: string): ResourcePriorities {
  return text === "" ? defaultPriorities : parsePriorities(text);
}
