import { type Scope, systemClock, withDeadline } from "@jibe/base";
import type { KubeClient, ResourceRef } from "@jibe/kube";
import { type ApiUsage, usedBetween } from "./api-usage.ts";
import { usageOf } from "./process-usage.ts";

/** One Backup or Restore, measured. */
export interface RunFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly items: number;
  readonly phase: string;
  /** What it cost the API server; only a real one tells. */
  readonly api?: ApiUsage;
}

export interface RunRequest {
  readonly kind: "Backup" | "Restore";
  readonly name: string;
  readonly spec: object;
}

/** Whom to ask, and whom to look at meanwhile. */
export interface RunWitnesses {
  readonly client: KubeClient;
  readonly serverPid: number;
  readonly readApi?: () => Promise<ApiUsage>;
}

interface Run {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly status?: {
    readonly phase?: string;
    readonly failureReason?: string;
    readonly progress?: { readonly itemsBackedUp?: number; readonly itemsRestored?: number };
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
const mostMinutes = 45;

/** From the POST of a Backup or Restore to its final phase as a watch sees it. Fails unless that is Completed. */
export async function measureRun(
  request: RunRequest,
  { client, serverPid, readApi }: RunWitnesses,
  scope: Scope,
): Promise<RunFigures> {
  const before = { server: await usageOf(serverPid), api: await readApi?.() };
  const began = systemClock.monotonicMs();
  const deadline = { ms: mostMinutes * 60_000, clock: systemClock, what: `${request.kind} ${request.name}` };
  const {
    phase = "",
    failureReason,
    progress,
  } = await withDeadline(deadline, scope, (inner) => runToEnd(request, client, inner));
  const seconds = (systemClock.monotonicMs() - began) / 1000;
  if (phase !== "Completed")
    throw new Error(`${request.kind} ${request.name} ended as ${phase} and cannot be compared: ${failureReason}`);
  const after = { server: await usageOf(serverPid), api: await readApi?.() };
  return {
    seconds,
    cpuSeconds: after.server.cpuSeconds - before.server.cpuSeconds,
    peakMb: after.server.peakMb,
    items: progress?.itemsBackedUp ?? progress?.itemsRestored ?? 0,
    phase,
    ...(before.api && after.api ? { api: usedBetween(before.api, after.api) } : {}),
  };
}

async function runToEnd({ kind, name, spec }: RunRequest, client: KubeClient, scope: Scope) {
  const object = { apiVersion: "velero.io/v1", kind, metadata: { name, namespace: "velero" }, spec };
  const made = await client.create(typeOf(kind), { namespace: "velero", object }, scope);
  const { resourceVersion = "" } = made.metadata;
  const options = { namespace: "velero", fieldSelector: `metadata.name=${name}`, resourceVersion };
  for await (const event of client.watch(typeOf(kind), options, scope)) {
    if ("object" in event && ended.test(event.object.status?.phase ?? "")) return event.object.status ?? {};
  }
  throw new Error(`the watch of ${kind} ${name} ended before it did`);
}
