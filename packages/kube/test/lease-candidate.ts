/** A process that wants a lease and tells when it has it and when it no longer does. */
import { silentLogger } from "@jibe/base";
import { connectCluster, runWithLease } from "../src/index.ts";

process.once("message", async ({ kubeconfig, identity }: { kubeconfig: string; identity: string }) => {
  const stopping = new AbortController();
  process.once("message", () => stopping.abort(new Error("told to stop")));
  const scope = { signal: stopping.signal, log: silentLogger };
  await using client = await connectCluster({ kubeconfig, env: {} }, scope);
  const times = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 300 };
  const options = { client, namespace: "default", name: "contended", identity, ...times };
  await runWithLease(options, scope, async ({ signal }) => {
    process.send?.({ identity, event: "began" });
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    process.send?.({ identity, event: "ended" });
  });
  process.disconnect?.();
});
