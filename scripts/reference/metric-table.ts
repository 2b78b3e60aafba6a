import { systemClock } from "@jibe/base";
import { jibeMetrics } from "../../packages/jibe/src/metrics/jibe-metrics.ts";
import { watchLiveState } from "../../packages/jibe/src/metrics/live-state.ts";
import type { MetricDefinition, MetricRegistry } from "../../packages/jibe/src/metrics/metric-registry.ts";
import { veleroMetrics } from "../../packages/jibe/src/metrics/velero-metrics.ts";
import { markdownTable } from "./markdown-table.ts";

/** Every metric that the server defines. */
export function metricTable(): string {
  const rows: string[][] = [];
  const note = (type: string, { name, labels, help }: MetricDefinition) => {
    rows.push([`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(", "), help]);
  };
  const ignore = () => {};
  const registry: MetricRegistry = {
    counter: (definition) => {
      note("counter", definition);
      return { add: ignore, remove: ignore };
    },
    gauge: (definition) => {
      note("gauge", definition);
      return { set: ignore, remove: ignore };
    },
    histogram: (definition) => {
      note("histogram", definition);
      return { observe: ignore, touch: ignore, remove: ignore };
    },
    computed: (definition) => note("gauge", definition),
    expose: async () => ({ contentType: "", body: "" }),
  };
  veleroMetrics(registry);
  jibeMetrics(registry);
  watchLiveState(registry, systemClock, { operations: () => [], apiConcurrency: () => 0, residentBytes: () => 0 });
  return markdownTable(["name", "type", "labels", ""], rows);
}
