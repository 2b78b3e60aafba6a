import { AppError, type Clock, type RetryPolicy, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import type { ObjectStore as ObjectStoreContract } from "@jibe/plugin-sdk/contracts";
import { openFilesystemStore } from "./filesystem/filesystem-store.ts";
import type { UrlSigner } from "./filesystem/url-signer.ts";
import { trimSlashes } from "./key-prefix.ts";
import { logging } from "./logging/logging.ts";
import { pluginObjectStore } from "./plugin/plugin-object-store.ts";
import { readOnly } from "./read-only/read-only.ts";
import { retrying } from "./retrying/retrying.ts";
import { s3SettingsFrom } from "./s3/s3-settings.ts";
import { openS3Store } from "./s3/s3-store.ts";

/** A BackupStorageLocation with its references resolved. */
export interface ObjectStoreLocation {
  readonly name: string;
  readonly provider: string;
  readonly bucket: string;
  readonly prefix?: string;
  readonly config?: Readonly<Record<string, string>>;
  /** PEM text. */
  readonly caCert?: string;
  /** A path. */
  readonly credentialsFile?: string;
  readonly accessMode?: "ReadOnly" | "ReadWrite";
}

/** What stores are made from. */
export interface ObjectStoreSources {
  readonly clock: Clock;
  /** The ObjectStore plugin that was found on disk under this name, not yet initialised. */
  readonly findPlugin: (name: string, scope: Scope) => Promise<ObjectStoreContract | undefined>;
  /** For locations on the file system; without it they have no signed URLs. */
  readonly signer?: UrlSigner;
}

/** The providers that need no plugin. */
export const builtInObjectStores = ["jibe.io/filesystem", "velero.io/aws"] as const;

export type OpenObjectStore = ObjectStore & AsyncDisposable;

/**
 * Opens a location. A plugin on disk wins over what is built in under the same name, so that an installed plugin behaves as its
 * user expects. The store retries what may pass (S3 request by request, a plugin call by call), logs its calls, and refuses changes
 * where the location is read-only.
 */
export async function openObjectStore(
  location: ObjectStoreLocation,
  sources: ObjectStoreSources,
  scope: Scope,
): Promise<OpenObjectStore> {
  scope.signal.throwIfAborted();
  const { clock } = sources;
  const store = await chooseStore(location, sources, scope);
  const logged = logging(store, clock);
  const guarded = location.accessMode === "ReadOnly" ? readOnly(logged, location.name) : logged;
  return { ...guarded, [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose]?.() };
}

async function chooseStore(
  location: ObjectStoreLocation,
  { clock, findPlugin, signer }: ObjectStoreSources,
  scope: Scope,
): Promise<ObjectStore & Partial<AsyncDisposable>> {
  const provider = location.provider.includes("/") ? location.provider : `velero.io/${location.provider}`;
  const bucket = bucketOf(location);
  const prefix = trimSlashes(location.prefix ?? "");
  const config = initConfig(location, { bucket, prefix });
  const plugin = await findPlugin(provider, scope);
  if (plugin) {
    if (isBuiltIn(provider)) scope.log.info("using the plugin on disk instead of the built-in store", { provider });
    await plugin.init(config, scope);
    const policy: RetryPolicy = { attempts: 4, firstDelayMs: 500, maxDelayMs: 8_000, clock };
    return retrying(pluginObjectStore(plugin, { bucket, prefix }), policy);
  }
  switch (provider) {
    case "velero.io/aws":
      return openS3Store({ bucket, prefix, settings: s3SettingsFrom(config), clock });
    case "jibe.io/filesystem": {
      const root = filesystemRoot(location);
      return openFilesystemStore({ root, bucket, prefix, location: location.name, ...(signer ? { signer } : {}) });
    }
    default: {
      const known = builtInObjectStores.join(", ");
      const message = `location "${location.name}": no object store plugin "${provider}" is installed; built in are ${known}`;
      throw new AppError("NotFound", message);
    }
  }
}

function isBuiltIn(provider: string): boolean {
  return builtInObjectStores.some((name) => name === provider);
}

/** What a plugin's `init` is given: the location's configuration and what Velero adds to it. */
function initConfig(
  { config = {}, caCert, credentialsFile }: ObjectStoreLocation,
  place: { readonly bucket: string; readonly prefix: string },
): Record<string, string> {
  return { ...config, ...place, ...(caCert ? { caCert } : {}), ...(credentialsFile ? { credentialsFile } : {}) };
}

function bucketOf({ name, bucket }: ObjectStoreLocation): string {
  const trimmed = trimSlashes(bucket);
  if (trimmed === "") throw new AppError("InvalidArgument", `location "${name}" names no bucket`);
  if (trimmed.includes("/") && !trimmed.startsWith("arn:aws:s3:")) {
    const hint = "put what follows the slash into the prefix";
    throw new AppError(
      "InvalidArgument",
      `location "${name}": a bucket's name has no slash, not ${JSON.stringify(bucket)}; ${hint}`,
    );
  }
  return trimmed;
}

function filesystemRoot({ name, config = {} }: ObjectStoreLocation): string {
  const { root, ...rest } = config;
  const unknown = Object.keys(rest);
  if (unknown.length > 0) {
    throw new AppError(
      "InvalidArgument",
      `location "${name}": unknown configuration ${unknown.join(", ")}; there is only root`,
    );
  }
  if (!root) throw new AppError("InvalidArgument", `location "${name}": config.root must name a folder`);
  return root;
}
