import type { Clock } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import type { ServerStatusRequest } from "../../api/resources.ts";
import { timeMs, timestamp } from "../../api/time.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";

const ttlMs = 60_000;

/** Tells who asks which version serves and with which plugins, and clears old questions away. */
export function serverStatusRequestController({
  requests,
  serverVersion,
  plugins,
  clock,
}: {
  readonly requests: Resources<ServerStatusRequest>;
  readonly serverVersion: string;
  readonly plugins: () => readonly { readonly name: string; readonly kind: string }[];
  readonly clock: Clock;
}): Controller {
  return {
    name: "server-status-request",
    type: veleroTypes.serverStatusRequest,
    resyncMs: 5 * 60_000,
    reconcile: async (name, scope) => {
      const request = await requests.find(name, scope);
      if (!request) return done;
      if (request.status?.phase !== "Processed") {
        const status = {
          phase: "Processed",
          processedTimestamp: timestamp(clock.now()),
          serverVersion,
          plugins: plugins(),
        };
        await requests.patch(name, { status }, scope);
        return { requeueAfterMs: ttlMs };
      }
      const age = clock.now().getTime() - (timeMs(request.status.processedTimestamp) ?? 0);
      if (age < ttlMs) return { requeueAfterMs: ttlMs - age };
      await requests.delete(name, scope);
      return done;
    },
  };
}
