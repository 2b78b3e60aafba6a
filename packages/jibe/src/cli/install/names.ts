/** On everything that belongs to an installation, as in Velero's. */
export const labels = { component: "velero" } as const;

/** What the server's pods are found by. */
export const podLabel = { deploy: "velero" } as const;

export const metricsPort = 8085;

/** Metadata's annotations, or nothing. */
export const annotationsOf = (annotations: Readonly<Record<string, string>>) =>
  Object.keys(annotations).length > 0 ? { annotations: { ...annotations } } : {};
