import type { Cluster, ObjectStore } from "@jibe/engine";

/** Bugs that the simulation must find when they are there. */
export const plantedBugs = ["operations-not-saved", "lease-ignored", "item-written-twice"] as const;
export type Planted = (typeof plantedBugs)[number];

interface Ports {
  readonly cluster: Cluster;
  readonly store: ObjectStore;
}

/**
 * Wraps the ports of a server so that it behaves as if it had the bug: it says that it saved operations but did not; it looks
 * at no lease and no holder before it writes. The third, an item that is written over itself, is in the simulated cluster.
 */
export function plantIn({ cluster, store }: Ports, planted: Planted | undefined): Ports {
  if (planted === "operations-not-saved") {
    const put: ObjectStore["put"] = async (key, body, scope) => {
      if (!key.endsWith("-itemoperations.json.gz")) await store.put(key, body, scope);
    };
    return { cluster, store: { ...store, put } };
  }
  if (planted === "lease-ignored") {
    const patch: Cluster["patch"] = (type, request, scope) =>
      cluster.patch(type, { ...request, patch: unguarded(request.patch) }, scope);
    return { cluster: { ...cluster, patch }, store };
  }
  return { cluster, store };
}

/** The patch without what makes it fail when someone else has written. */
function unguarded(patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.filter(({ op }: { op: string }) => op !== "test");
  const { metadata, ...rest } = patch as { metadata?: { resourceVersion?: string } };
  if (!metadata) return patch;
  const { resourceVersion: _ignored, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
