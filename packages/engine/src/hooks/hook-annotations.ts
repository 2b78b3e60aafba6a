import { type Logger, messageOf, parseGoDuration } from "@jibe/base";
import type { ExecHook } from "@jibe/plugin-sdk/contracts";
import { hookCommandFrom } from "./hook-command.ts";

const prefix = "hook.backup.velero.io";

/** The hook that a pod's annotations ask for in a phase. Keys without a phase mean `pre`. */
export function hookFromAnnotations(
  annotations: Readonly<Record<string, string>>,
  phase: "pre" | "post",
  log: Logger,
): ExecHook | undefined {
  const phased = hookWithPrefix(annotations, `${phase}.${prefix}`, log);
  return phased ?? (phase === "pre" ? hookWithPrefix(annotations, prefix, log) : undefined);
}

function hookWithPrefix(
  annotations: Readonly<Record<string, string>>,
  keyPrefix: string,
  log: Logger,
): ExecHook | undefined {
  const value = (key: string) => annotations[`${keyPrefix}/${key}`] ?? "";
  const command = value("command");
  if (command === "") return undefined;
  const onError = value("on-error");
  const timeout = readTimeout(value("timeout"), log);
  return {
    command: hookCommandFrom(command),
    ...(value("container") === "" ? {} : { container: value("container") }),
    ...(onError === "Continue" || onError === "Fail" ? { onError } : {}),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

function readTimeout(text: string, log: Logger): string | undefined {
  if (text === "") return undefined;
  try {
    parseGoDuration(text);
    return text;
  } catch (error) {
    log.warn(`Unable to parse provided timeout ${text}, using default: ${messageOf(error)}`);
    return undefined;
  }
}
