import type { MetricRegistry } from "./metric-registry.ts";

const callBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300];

/** What we measure beyond Velero. */
export function jibeMetrics(registry: MetricRegistry) {
  return {
    itemsProcessed: registry.counter({
      name: "jibe_items_processed_total",
      help: "Items that backups and restores have dealt with, by outcome",
      labels: ["run", "outcome"],
    }),
    pluginCallSeconds: registry.histogram({
      name: "jibe_plugin_call_duration_seconds",
      help: "Time taken by calls of plugins, in seconds",
      labels: ["plugin", "method", "outcome"],
      buckets: callBuckets,
    }),
    apiThrottled: registry.counter({
      name: "jibe_api_throttled_total",
      help: "Times that the API server asked to slow down",
      labels: [],
    }),
    operationsEnded: registry.counter({
      name: "jibe_operations_ended_total",
      help: "Asynchronous operations that ended, by plugin and outcome",
      labels: ["run", "plugin", "outcome"],
    }),
  };
}

export type JibeMetrics = ReturnType<typeof jibeMetrics>;
