import type { Scope } from "@jibe/base";
import type { RestoreSettings } from "@jibe/engine";
import type { RunSurroundings } from "../run-surroundings.ts";
import { findConfigMap } from "./find-config-map.ts";

/** Adds the versions that the user puts first, from the ConfigMap that Velero reads for it; only with the feature on. */
export async function withVersionPriorities(
  settings: RestoreSettings,
  namespace: string,
  world: Pick<RunSurroundings, "cluster">,
  scope: Scope,
): Promise<RestoreSettings> {
  if (!settings.enableApiGroupVersions) return settings;
  const found = await findConfigMap("enableapigroupversions", namespace, world, scope);
  return { ...settings, versionPriorities: found?.data["restoreResourcesVersionPriority"] ?? "" };
}
