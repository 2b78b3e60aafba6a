import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Scope } from "@jibe/base";
import type { ApiContext } from "./api/context.ts";
import { ApiCluster } from "./workloads/api-cluster.ts";
import { type ExecHandler, simulatedExec } from "./workloads/exec-handler.ts";
import { startWorkloads } from "./workloads/start-workloads.ts";
import { volumeDirectories } from "./workloads/volume-directories.ts";

/** Starts the simulation on a server's own API; volumes live below the data directory or a temporary one. */
export function simulateWorkloads(
  context: ApiContext,
  started: AsyncDisposableStack,
  { dataDir, clock }: { readonly dataDir: string | undefined; readonly clock: Clock },
  scope: Pick<Scope, "log">,
): ExecHandler {
  const root = dataDir === undefined ? mkdtempSync(join(tmpdir(), "sandbox-volumes-")) : join(dataDir, "volumes");
  if (dataDir === undefined) started.defer(() => rmSync(root, { recursive: true, force: true }));
  const port = new ApiCluster(context);
  started.use(startWorkloads({ port, clock, directories: volumeDirectories(root) }, scope));
  return simulatedExec(clock);
}
