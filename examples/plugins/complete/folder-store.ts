import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError, objectStore } from "@jibe/plugin-sdk";

/** Keeps objects as files: `<root>/<bucket>/<key>`. What is written becomes visible at once and whole, by renaming. */
export function folderStore() {
  let root = "";
  const bucketDir = (bucket: string) => join(root, bucket);
  const fileOf = (bucket: string, key: string) => join(bucketDir(bucket), key);

  async function keysBelow(bucket: string, prefix: string): Promise<string[]> {
    const base = bucketDir(bucket);
    const entries = await readdir(base, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(base, join(entry.parentPath, entry.name)))
      .filter((key) => key.startsWith(prefix))
      .sort();
  }

  /** A folder is where objects lie, not an object. */
  async function isObject(bucket: string, key: string): Promise<boolean> {
    const found = await stat(fileOf(bucket, key)).catch(() => undefined);
    return found?.isFile() ?? false;
  }

  return objectStore({
    async init(config) {
      if (!config["root"]) throw new AppError("InvalidArgument", "the location's config must name a root folder");
      root = config["root"];
    },

    async putObject(bucket, key, body, { signal }) {
      const unfinished = join(root, `.unfinished-${randomUUID()}`);
      await mkdir(dirname(fileOf(bucket, key)), { recursive: true });
      try {
        await pipeline(body, createWriteStream(unfinished, { flush: true }), { signal });
        await rename(unfinished, fileOf(bucket, key));
      } finally {
        await rm(unfinished, { force: true });
      }
    },

    objectExists: isObject,

    async *getObject(bucket, key, { signal }) {
      if (!(await isObject(bucket, key))) throw new AppError("NotFound", `object ${key} not found`);
      yield* createReadStream(fileOf(bucket, key), { highWaterMark: 128 * 1024, signal }) as AsyncIterable<Buffer>;
    },

    async listCommonPrefixes(bucket, delimiter, prefix) {
      const rests = (await keysBelow(bucket, prefix)).map((key) => key.slice(prefix.length));
      const heads = rests.filter((rest) => rest.includes(delimiter)).map((rest) => rest.split(delimiter)[0]);
      return [...new Set(heads)].map((head) => `${prefix}${head}${delimiter}`);
    },

    listObjects: keysBelow,

    async deleteObject(bucket, key) {
      if (!(await isObject(bucket, key))) return;
      await rm(fileOf(bucket, key), { force: true });
      // A folder that became empty would look like a backup.
      for (let dir = dirname(fileOf(bucket, key)); dir.length > bucketDir(bucket).length; dir = dirname(dir)) {
        const removed = await rmdir(dir).then(
          () => true,
          () => false,
        );
        if (!removed) break;
      }
    },

    createSignedUrl: async (bucket, key) => `file://${fileOf(bucket, key)}`,
  });
}
