import { type Scope, systemClock } from "@jibe/base";
import type { KubeClient, ResourceRef } from "@jibe/kube";
import { type BenchServer, usageOf } from "./servers.ts";

export interface RunFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly items: number;
  readonly phase: string;
}

interface Run {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly status?: {
    readonly phase?: string;
    readonly progress?: {
      readonly totalItems?: number;
      readonly itemsBackedUp?: number;
      readonly itemsRestored?: number;
    };
  };
}

const typeOf = (kind: "Backup" | "Restore"): ResourceRef<Run> => ({
  group: "velero.io",
  version: "v1",
  resource: `${kind.toLowerCase()}s`,
  kind,
  namespaced: true,
});
const ended = /^(Completed|PartiallyFailed|Failed|FailedValidation)$/;

/** From the POST of a Backup or Restore to its final phase as a watch sees it. */
export async function measureRun(
  { kind, name, spec }: { readonly kind: "Backup" | "Restore"; readonly name: string; readonly spec: object },
  { client, server }: { readonly client: KubeClient; readonly server: BenchServer },
  scope: Scope,
): Promise<RunFigures> {
  const before = await usageOf(server.pid);
  const began = systemClock.monotonicMs();
  const object = { apiVersion: "velero.io/v1", kind, metadata: { name, namespace: "velero" }, spec };
  const made = await client.create(typeOf(kind), { namespace: "velero", object }, scope);
  const { resourceVersion = "" } = made.metadata;
  const options = { namespace: "velero", fieldSelector: `metadata.name=${name}`, resourceVersion };
  for await (const event of client.watch(typeOf(kind), options, scope)) {
    if (!("object" in event)) continue;
    const { phase = "", progress } = event.object.status ?? {};
    if (!ended.test(phase)) continue;
    const seconds = (systemClock.monotonicMs() - began) / 1000;
    const after = await usageOf(server.pid);
    const items = progress?.itemsBackedUp ?? progress?.itemsRestored ?? 0;
    return { seconds, cpuSeconds: after.cpuSeconds - before.cpuSeconds, peakMb: after.peakMb, items, phase };
  }
  throw new Error(`the watch of ${kind} ${name} ended before it did`);
}
