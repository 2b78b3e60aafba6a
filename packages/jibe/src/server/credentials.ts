import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, hasCode, type Scope } from "@jibe/base";
import type { Cluster } from "@jibe/engine";
import { coreTypes } from "../api/resource-types.ts";
import type { SecretKeySelector } from "../api/resources.ts";

/** Turns keys of Secrets into what stores and snapshotters take: text, or the path of a file that only we can read. */
export interface Credentials {
  read(key: SecretKeySelector, scope: Scope): Promise<Uint8Array>;
  file(key: SecretKeySelector, scope: Scope): Promise<string>;
}

export function secretCredentials({
  cluster,
  namespace,
  directory,
}: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly directory: string;
}): Credentials {
  const read = async ({ name, key }: SecretKeySelector, scope: Scope): Promise<Uint8Array> => {
    const secret = await cluster.get(coreTypes.secret, { namespace, name }, scope).catch((error: unknown) => {
      if (!hasCode(error, "NotFound")) throw error;
      const what = `secret ${JSON.stringify(name)} not found in namespace ${JSON.stringify(namespace)}: create it`;
      throw new AppError("NotFound", what, { cause: error });
    });
    const data = secret.object["data"] as Record<string, string> | undefined;
    const value = data?.[key];
    if (value === undefined)
      throw new AppError("NotFound", `secret ${JSON.stringify(name)} has no key ${JSON.stringify(key)}`);
    return Buffer.from(value, "base64");
  };
  return {
    read,
    file: async (selector, scope) => {
      const folder = join(directory, "credentials", namespace);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${selector.name}-${selector.key}`);
      const draft = `${path}.new`;
      await writeFile(draft, await read(selector, scope), { mode: 0o600 });
      await rename(draft, path);
      return path;
    },
  };
}
