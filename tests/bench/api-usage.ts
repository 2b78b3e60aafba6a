import type { Scope } from "@jibe/base";
import type { KubeClient } from "@jibe/kube";
import { usageOf } from "./process-usage.ts";

/** What a server costs the API server, as the API server itself counts it. */
export interface ApiUsage {
  readonly requests: number;
  /** Sent in answers. */
  readonly answeredMb: number;
  readonly cpuSeconds: number;
}

/** Reads the API server's own counters; the difference of two readings is what happened in between. */
export async function readApiUsage(client: KubeClient, apiServerPid: number, scope: Scope): Promise<ApiUsage> {
  const text = Buffer.from(await client.request({ method: "GET", path: "/metrics" }, scope)).toString();
  return { ...countedIn(text), cpuSeconds: (await usageOf(apiServerPid)).cpuSeconds };
}

export function usedBetween(before: ApiUsage, after: ApiUsage): ApiUsage {
  return {
    requests: after.requests - before.requests,
    answeredMb: after.answeredMb - before.answeredMb,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  };
}

/** Sums the counters over all that is asked of the server, watches apart: they are counted when they end, if ever. */
export function countedIn(metrics: string): Pick<ApiUsage, "requests" | "answeredMb"> {
  let [requests, bytes] = [0, 0];
  for (const [, name, labels = "", value] of metrics.matchAll(
    /^(apiserver_request_total|apiserver_response_sizes_sum)\{([^\n]*)\} (\S+)$/gm,
  )) {
    if (labels.includes('verb="WATCH"')) continue;
    if (name === "apiserver_request_total") requests += Number(value);
    else bytes += Number(value);
  }
  return { requests, answeredMb: bytes / 2 ** 20 };
}
