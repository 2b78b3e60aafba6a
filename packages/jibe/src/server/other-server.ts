import { type Clock, messageOf, type Scope } from "@jibe/base";
import { veleroTypes } from "../api/resource-types.ts";
import type { ServerStatusRequest } from "../api/resources.ts";
import type { Resources } from "../controllers/resources.ts";

const askedForMs = 3000;
const pollMs = 200;
const againMs = 10_000;

/**
 * Waits until no other server answers in the namespace. A server that knows nothing of leases, such as Velero, is found by asking
 * for a server's status before ours is there to answer.
 */
export async function untilAlone(
  requests: Resources<ServerStatusRequest>,
  { clock, onOther }: { readonly clock: Clock; readonly onOther: (version: string) => void },
  scope: Scope,
): Promise<void> {
  while (true) {
    const other = await otherServer(requests, clock, scope);
    if (other === undefined) return;
    onOther(other);
    scope.log.warn(
      "another server answers in this namespace; taking no work until it is gone (--allow-other-server takes it anyway)",
      {
        otherServer: other,
        namespace: requests.namespace,
      },
    );
    await clock.sleep(againMs, scope);
  }
}

async function otherServer(
  requests: Resources<ServerStatusRequest>,
  clock: Clock,
  scope: Scope,
): Promise<string | undefined> {
  const made = await requests.create(
    {
      apiVersion: "velero.io/v1",
      kind: veleroTypes.serverStatusRequest.kind,
      metadata: { name: "", generateName: "jibe-server-" },
      spec: {},
    },
    scope,
  );
  const { name } = made.metadata;
  const deadline = clock.monotonicMs() + askedForMs;
  try {
    while (clock.monotonicMs() < deadline) {
      const { status } = await requests.get(name, scope);
      if (status?.phase === "Processed") return status.serverVersion ?? "unknown version";
      await clock.sleep(pollMs, scope);
    }
    return undefined;
  } finally {
    await requests.delete(name, scope).catch((error: unknown) => {
      scope.log.debug("cannot remove a server status request", { error: messageOf(error) });
    });
  }
}
