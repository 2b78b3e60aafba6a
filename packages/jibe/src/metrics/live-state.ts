import type { Clock } from "@jibe/base";
import type { LabelValues, MetricRegistry, Sample } from "./metric-registry.ts";

export type RunKind = "backup" | "restore";

export interface RunningOperation {
  readonly run: RunKind;
  readonly plugin: string;
  readonly since: Date;
}

/** What is running, asked whenever someone reads the metrics. */
export interface LiveState {
  readonly operations: () => readonly RunningOperation[];
  readonly apiConcurrency: () => number;
  readonly residentBytes: () => number;
}

/** Shows the live state as gauges. */
export function watchLiveState(registry: MetricRegistry, clock: Clock, live: LiveState): void {
  const labels = ["run", "plugin"];
  registry.computed({ name: "jibe_operations_running", help: "Asynchronous operations that are running", labels }, () =>
    perPlugin(live.operations(), (group) => group.length),
  );
  registry.computed(
    { name: "jibe_operation_age_seconds", help: "Age of the oldest running operation, in seconds", labels },
    () => {
      const now = clock.now().getTime();
      return perPlugin(live.operations(), (group) => (now - oldest(group)) / 1000);
    },
  );
  registry.computed(
    { name: "jibe_api_concurrency", help: "Calls of the API server that may run at once", labels: [] },
    () => [{ labels: {}, value: live.apiConcurrency() }],
  );
  registry.computed(
    { name: "process_resident_memory_bytes", help: "Memory that the server has in use, in bytes", labels: [] },
    () => [{ labels: {}, value: live.residentBytes() }],
  );
}

function perPlugin(
  operations: readonly RunningOperation[],
  measure: (group: readonly RunningOperation[]) => number,
): Sample[] {
  const groups = Map.groupBy(operations, ({ run, plugin }) => JSON.stringify({ run, plugin }));
  return [...groups].map(([key, group]) => ({ labels: JSON.parse(key) as LabelValues, value: measure(group) }));
}

function oldest(operations: readonly RunningOperation[]): number {
  return operations.reduce((first, { since }) => Math.min(first, since.getTime()), Number.POSITIVE_INFINITY);
}
