/** What a metric is called and what it counts. */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export type LabelValues = Readonly<Record<string, string>>;

export interface Counter {
  /** By 1 unless given; 0 makes the series appear. */
  add(labels: LabelValues, count?: number): void;
  remove(labels: LabelValues): void;
}

export interface Gauge {
  set(labels: LabelValues, value: number): void;
  remove(labels: LabelValues): void;
}

export interface Histogram {
  observe(labels: LabelValues, value: number): void;
  /** Makes the series appear, empty. */
  touch(labels: LabelValues): void;
  remove(labels: LabelValues): void;
}

export interface Sample {
  readonly labels: LabelValues;
  readonly value: number;
}

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

/** Where metrics are kept. All that is known of the library behind it is in its implementation. */
export interface MetricRegistry {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: MetricDefinition & { readonly buckets: readonly number[] }): Histogram;
  /** A gauge whose series are read when someone looks. */
  computed(definition: MetricDefinition, read: () => readonly Sample[]): void;
  /** Everything, in Prometheus' text format. */
  expose(): Promise<Exposition>;
}
