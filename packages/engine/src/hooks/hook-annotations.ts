import { type Logger, messageOf, parseGoDuration } from "@jibe/base";
import type { ExecHook } from "@jibe/plugin-sdk/contracts";

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
    command: commandFrom(command),
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

/** A JSON list of words, or one word; what looks like a list and is none is one word. */
function commandFrom(text: string): string[] {
  if (!text.startsWith("[")) return [text];
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed) && parsed.every((word) => typeof word === "string")) return parsed;
  } catch {
    // taken as one word, as Velero does
  }
  return [text];
}
