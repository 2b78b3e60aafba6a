import { type Clock, messageOf, type Scope } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import type { BackupStorageLocation } from "../../api/resources.ts";
import { timestamp } from "../../api/time.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";
import type { StorageLocations } from "../storage-locations.ts";
import { checkDueInMs, layoutProblem, locationProblem, redacted, surplusDefaults } from "./decide-location.ts";

/** Tells whether each location can be used, and keeps one default among them. */
export function backupStorageLocationController({
  locations,
  stores,
  clock,
  frequencyMs,
  onChecked,
  onGone,
}: {
  readonly locations: Resources<BackupStorageLocation>;
  readonly stores: StorageLocations;
  readonly clock: Clock;
  readonly frequencyMs: number;
  readonly onChecked?: (name: string, isAvailable: boolean) => void;
  readonly onGone?: (name: string) => void;
}): Controller {
  // Without a status subresource the generation counts status writes too, so the spec itself is compared.
  const lastSpecs = new Map<string, string>();
  return {
    name: "backup-storage-location",
    type: veleroTypes.backupStorageLocation,
    workers: 4,
    reconcile: async (name, scope) => {
      const location = await locations.find(name, scope);
      if (!location || location.metadata.deletionTimestamp) {
        lastSpecs.delete(name);
        onGone?.(name);
        return done;
      }
      const dueInMs = checkDueInMs(location, frequencyMs, clock.now());
      const changed = lastSpecs.get(name) !== JSON.stringify(location.spec);
      if (dueInMs !== 0 && !changed) return dueInMs === undefined ? done : { requeueAfterMs: dueInMs };
      const problem = await findProblem(location, stores, scope);
      const message = problem === undefined ? null : `BackupStorageLocation "${name}" is unavailable: ${problem}`;
      await locations.patch(
        name,
        {
          status: {
            phase: problem === undefined ? "Available" : "Unavailable",
            message,
            lastValidationTime: timestamp(clock.now()),
          },
        },
        scope,
      );
      lastSpecs.set(name, JSON.stringify(location.spec));
      onChecked?.(name, problem === undefined);
      if (problem !== undefined && location.status?.message !== message) {
        scope.log.warn("backup storage location is unavailable", { location: name, reason: problem });
      }
      for (const surplus of surplusDefaults(await locations.list({}, scope))) {
        await locations.patch(surplus.metadata.name, { spec: { default: false } }, scope);
        scope.log.warn("more than one default location; the newest stays the default", {
          location: surplus.metadata.name,
        });
      }
      const nextMs = checkDueInMs(
        { ...location, status: { lastValidationTime: timestamp(clock.now()) } },
        frequencyMs,
        clock.now(),
      );
      return nextMs === undefined ? done : { requeueAfterMs: nextMs };
    },
  };
}

async function findProblem(
  location: BackupStorageLocation,
  stores: StorageLocations,
  scope: Scope,
): Promise<string | undefined> {
  const own = locationProblem(location);
  if (own !== undefined) return own;
  try {
    await using store = await stores.open(location, scope);
    const folders: string[] = [];
    for await (const folder of store.listPrefixes("", scope)) folders.push(folder);
    return layoutProblem(folders);
  } catch (error) {
    scope.signal.throwIfAborted();
    return redacted(messageOf(error));
  }
}
