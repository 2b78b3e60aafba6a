import type { Clock } from "@jibe/base";
import { labelValueFrom } from "@jibe/engine";
import { deleteRequestFor } from "../../api/delete-request.ts";
import { labels } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, BackupStorageLocation, DeleteBackupRequest } from "../../api/resources.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";
import { decideGc } from "./decide-gc.ts";

/** Asks for the deletion of backups whose time to live is over. */
export function gcController({
  backups,
  locations,
  requests,
  clock,
  frequencyMs,
}: {
  readonly backups: Resources<Backup>;
  readonly locations: Resources<BackupStorageLocation>;
  readonly requests: Resources<DeleteBackupRequest>;
  readonly clock: Clock;
  readonly frequencyMs: number;
}): Controller {
  return {
    name: "gc",
    type: veleroTypes.backup,
    resyncMs: frequencyMs,
    reconcile: async (name, scope) => {
      const backup = await backups.find(name, scope);
      if (!backup || backup.metadata.deletionTimestamp || backup.status?.phase === "Deleting") return done;
      const location = await locations.find(backup.spec.storageLocation ?? "default", scope);
      const labelSelector = `${labels.backupName}=${labelValueFrom(name)}`;
      const decision = decideGc(backup, location, await requests.list({ labelSelector }, scope), clock.now());
      const failure = decision.kind === "blocked" ? decision.reason : undefined;
      const expired = decision.kind !== "keep";
      if (expired && backup.metadata.labels?.[labels.gcFailure] !== failure) {
        await backups.patch(name, { metadata: { labels: { [labels.gcFailure]: failure ?? null } } }, scope);
      }
      if (decision.kind === "keep") {
        return decision.untilMs === undefined
          ? done
          : { requeueAfterMs: Math.min(frequencyMs, Math.max(1000, decision.untilMs - clock.now().getTime())) };
      }
      if (decision.kind === "delete") {
        await requests.create(deleteRequestFor(backup), scope);
        scope.log.info("expired backup will be deleted", { backup: name });
      }
      return { requeueAfterMs: frequencyMs };
    },
  };
}
