import type { RestoreSettings } from "@jibe/engine";
import type { ServerConfig } from "./server-config.ts";

/** What the server's flags say about restores. */
export function restoreSettingsFrom({ flags, priorities }: ServerConfig): Partial<RestoreSettings> {
  return {
    resourceTimeoutMs: flags.resourceTimeout,
    terminatingResourceTimeoutMs: flags.terminatingResourceTimeout,
    ...(flags.additionalItemsReadyTimeout > 0
      ? { additionalItemsReadyTimeoutMs: flags.additionalItemsReadyTimeout }
      : {}),
    priorities,
    concurrency: flags.restoreWorkerCount,
    enableCsi: flags.features.includes("EnableCSI"),
    enableApiGroupVersions: flags.features.includes("EnableAPIGroupVersions"),
    logFormat: flags.logFormat,
  };
}
