import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Duration, DurationSchema } from "@bufbuild/protobuf/wkt";

export function durationFromMs(ms: number): MessageInitShape<typeof DurationSchema> {
  const seconds = Math.trunc(ms / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1000) * 1_000_000) };
}

/** An absent duration is none. */
export function msFromDuration(duration: Duration | undefined): number {
  return duration ? Number(duration.seconds) * 1000 + duration.nanos / 1_000_000 : 0;
}
