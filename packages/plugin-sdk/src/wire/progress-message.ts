import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { OperationProgress } from "../contracts/index.ts";
import type { OperationProgressSchema, OperationProgress as ProgressMessage } from "../gen/generated/shared_pb.ts";

// Go's zero time. Velero takes an absent timestamp for 1970 and the operation for started; this one it takes for unset.
const goZeroSeconds = -62135596800n;

export function progressAsMessage(progress: OperationProgress): MessageInitShape<typeof OperationProgressSchema> {
  return {
    completed: progress.completed,
    err: progress.error ?? "",
    nCompleted: wholeNumber(progress.nCompleted),
    nTotal: wholeNumber(progress.nTotal),
    operationUnits: progress.operationUnits ?? "",
    description: progress.description ?? "",
    started: timestampFromDate(progress.started),
    updated: timestampFromDate(progress.updated),
  };
}

/** An answer without progress counts as nothing known yet. */
export function progressFromMessage(message: ProgressMessage | undefined): OperationProgress {
  if (!message) return { completed: false };
  const started = dateFromTimestamp(message.started);
  const updated = dateFromTimestamp(message.updated);
  return {
    completed: message.completed,
    ...(message.err !== "" && { error: message.err }),
    nCompleted: Number(message.nCompleted),
    nTotal: Number(message.nTotal),
    ...(message.operationUnits !== "" && { operationUnits: message.operationUnits }),
    ...(message.description !== "" && { description: message.description }),
    ...(started && { started }),
    ...(updated && { updated }),
  };
}

function wholeNumber(value: number | undefined): bigint {
  return value === undefined || !Number.isFinite(value) ? 0n : BigInt(Math.trunc(value));
}

function timestampFromDate(date: Date | undefined): MessageInitShape<typeof TimestampSchema> {
  if (!date || Number.isNaN(date.getTime())) return { seconds: goZeroSeconds, nanos: 0 };
  const ms = date.getTime();
  const seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1_000_000 };
}

/** Absent, Go's zero time and the epoch all mean "not known": plugins use each of them for it. */
function dateFromTimestamp(timestamp: Timestamp | undefined): Date | undefined {
  if (!timestamp || timestamp.seconds <= 0n) return undefined;
  return new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000));
}
