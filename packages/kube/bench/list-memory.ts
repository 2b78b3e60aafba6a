/** A process that lists everything the benchmark made, as a stream, and tells its own peak memory in MB. */
import { readFileSync } from "node:fs";
import { silentLogger } from "@jibe/base";
import { connectCluster } from "../src/index.ts";
import { objectMakers } from "./mixed-objects.ts";

process.once("message", async (message: { readonly kubeconfig: string }) => {
  const scope = { signal: new AbortController().signal, log: silentLogger };
  await using client = await connectCluster({ kubeconfig: message.kubeconfig, env: {} }, scope);
  let bytes = 0;
  for (const { type } of objectMakers) {
    for await (const { items } of client.listPages(type, {}, scope))
      for (const item of items) bytes += item.bytes.length;
  }
  if (bytes === 0) throw new Error("there was nothing to list");
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"));
  process.send?.(Number(peak?.[1] ?? Number.NaN) / 1024, () => process.disconnect?.());
});
