import type { ApiContext } from "../api/context.ts";
import { deleteObject } from "../api/delete-object.ts";
import { listAt, type Tree, timeText, treeAt } from "../api/kube-object.ts";
import { keyOf, objectOf } from "../storage/entry.ts";
import { put } from "./bootstrap.ts";
import { type Remaining, reportRemaining } from "./namespace-conditions.ts";

/**
 * The life of a namespace: a new one gets its service account and the cluster's certificate, a deleted one is emptied
 * and goes when nothing is left in it.
 */
export function startNamespaceController(context: ApiContext, caCert: string): Disposable {
  const { store } = context;
  const pending = new Set<string>();
  const run = () => {
    for (const name of pending) {
      pending.delete(name);
      reconcile(context, name, caCert);
    }
  };
  const wake = (name: string) => {
    if (pending.size === 0) queueMicrotask(run);
    pending.add(name);
  };
  const listening = store.listen(({ bucket, entry, type }) => {
    if (bucket === "namespaces") wake(entry.name);
    else if (entry.namespace !== "" && type === "DELETED") wake(entry.namespace);
  });
  for (const { name } of store.list("namespaces")) reconcile(context, name, caCert);
  return listening;
}

function reconcile(context: ApiContext, name: string, caCert: string): void {
  const { store } = context;
  const entry = store.get("namespaces", name);
  if (!entry) return;
  const namespace = objectOf(entry);
  if (!namespace.metadata.deletionTimestamp) {
    put(context, "serviceaccounts", { metadata: { name: "default", namespace: name } });
    put(context, "configmaps", {
      metadata: {
        name: "kube-root-ca.crt",
        namespace: name,
        annotations: { "kubernetes.io/description": rootCaDescription },
        managedFields: [rootCaFields(timeText(context.clock.now()))],
      },
      data: { "ca.crt": caCert },
    });
    return;
  }
  const left = emptyNamespace(context, name);
  if (left.length > 0) {
    reportRemaining(context, namespace, left);
    return;
  }
  const spec = treeAt(namespace, "spec") ?? {};
  const finalizers = listAt(spec, "finalizers").filter((finalizer) => finalizer !== "kubernetes");
  if (finalizers.length === listAt(spec, "finalizers").length && finalizers.length > 0) return;
  const next: Tree = { ...spec, finalizers };
  if (finalizers.length === 0) delete next["finalizers"];
  const emptied = { ...namespace, spec: next };
  if (finalizers.length === 0 && (namespace.metadata.finalizers ?? []).length === 0)
    store.remove("namespaces", emptied);
  else if (JSON.stringify(next) !== JSON.stringify(spec)) store.commit("namespaces", emptied);
}

const rootCaFields = (time: string) => ({
  manager: "kube-controller-manager",
  operation: "Update",
  apiVersion: "v1",
  time,
  fieldsType: "FieldsV1",
  fieldsV1: {
    "f:data": { ".": {}, "f:ca.crt": {} },
    "f:metadata": { "f:annotations": { ".": {}, "f:kubernetes.io/description": {} } },
  },
});

const rootCaDescription =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Deletes everything in a namespace; returns what is still there. */
function emptyNamespace(context: ApiContext, namespace: string): Remaining[] {
  const { store, registry } = context;
  const left: Remaining[] = [];
  for (const bucket of store.buckets()) {
    const type = registry.preferred(bucket);
    if (!type?.namespaced) continue;
    for (const { name } of store.list(bucket, namespace)) {
      const entry = store.get(bucket, keyOf(namespace, name));
      const isMarked = entry?.bytes.includes('"deletionTimestamp"') && objectOf(entry).metadata.deletionTimestamp;
      if (entry && !isMarked) {
        const options = { dryRun: false, propagationPolicy: "Background", gracePeriodSeconds: 0 } as const;
        deleteObject(context, { type, namespace, name, subresource: "" }, options);
      }
      const remaining = store.get(bucket, keyOf(namespace, name));
      if (remaining) left.push({ type, finalizers: objectOf(remaining).metadata.finalizers ?? [] });
    }
  }
  return left;
}
