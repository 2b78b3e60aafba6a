import type { MetricRegistry } from "./metric-registry.ts";

/** A registry of its own on prom-client, which is loaded only now. */
export async function createPrometheusRegistry(): Promise<MetricRegistry> {
  // A CommonJS module: its default is what both Node and bundlers give.
  const { Counter, Gauge, Histogram, Registry } = (await import("prom-client")).default;
  const registry = new Registry();
  const registers = [registry];
  return {
    counter: ({ name, help, labels }) => {
      const counter = new Counter({ name, help, labelNames: [...labels], registers });
      return {
        add: (values, count = 1) => counter.inc({ ...values }, count),
        remove: (values) => counter.remove({ ...values }),
      };
    },
    gauge: ({ name, help, labels }) => {
      const gauge = new Gauge({ name, help, labelNames: [...labels], registers });
      return {
        set: (values, value) => gauge.set({ ...values }, value),
        remove: (values) => gauge.remove({ ...values }),
      };
    },
    histogram: ({ name, help, labels, buckets }) => {
      const histogram = new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers });
      return {
        observe: (values, value) => histogram.observe({ ...values }, value),
        touch: (values) => histogram.zero({ ...values }),
        remove: (values) => histogram.remove({ ...values }),
      };
    },
    computed: ({ name, help, labels }, read) => {
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers,
        collect() {
          this.reset();
          for (const { labels: values, value } of read()) this.set({ ...values }, value);
        },
      });
    },
    expose: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
