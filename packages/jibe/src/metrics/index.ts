export type { LiveState, RunKind, RunningOperation } from "./live-state.ts";
export type { Exposition } from "./metric-registry.ts";
export { createPrometheusRegistry } from "./prometheus-registry.ts";
export { type EndedBackup, type RunOutcome, ServerMetrics } from "./server-metrics.ts";
