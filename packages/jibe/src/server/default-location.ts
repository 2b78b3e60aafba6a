import type { Scope } from "@jibe/base";
import type { BackupStorageLocation } from "../api/resources.ts";
import type { Resources } from "../controllers/resources.ts";

/** Makes the location that the server's flag names the default one, unless another is; says so when there is none at all. */
export async function settleDefaultLocation(
  locations: Resources<BackupStorageLocation>,
  name: string,
  scope: Scope,
): Promise<void> {
  const all = await locations.list({}, scope);
  if (all.some(({ spec }) => spec.default)) return;
  if (all.some(({ metadata }) => metadata.name === name)) {
    await locations.patch(name, { spec: { default: true } }, scope);
    return;
  }
  scope.log.warn("no default backup storage location: backups must name one until you create it", {
    expected: name,
    create: `jibe backup-location create ${name} --default --provider … --bucket …`,
  });
}
