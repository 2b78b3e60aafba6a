import { type Clock, type Scope, withDeadline } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import type { ServerStatusRequest } from "../../api/resources.ts";
import type { ClusterAccess } from "../cluster-access.ts";

const pollMs = 100;

/** Asks the server for its version and plugins. Fails with `DeadlineExceeded` when none answers. */
export async function serverStatus(
  { access, clock, timeoutMs }: { readonly access: ClusterAccess; readonly clock: Clock; readonly timeoutMs: number },
  scope: Scope,
): Promise<NonNullable<ServerStatusRequest["status"]>> {
  const request = await access.create<ServerStatusRequest>(
    veleroTypes.serverStatusRequest,
    {
      apiVersion: "velero.io/v1",
      kind: "ServerStatusRequest",
      metadata: { name: "", generateName: "jibe-cli-", namespace: access.namespace },
      spec: {},
    },
    scope,
  );
  const { name } = request.metadata;
  const what = `the server in namespace ${JSON.stringify(access.namespace)}`;
  return withDeadline({ ms: timeoutMs, clock, what: `waiting for ${what}` }, scope, async (inner) => {
    while (true) {
      const { status } = await access.get<ServerStatusRequest>(veleroTypes.serverStatusRequest, name, inner);
      if (status?.phase === "Processed") return status;
      await clock.sleep(pollMs, inner);
    }
  });
}
