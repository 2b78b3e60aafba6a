import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { AppError } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { downloadFile } from "../download/download-file.ts";
import { downloadFlags } from "../download/download-flags.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";

export const backupDownload = command({
  usage: "backup download NAME",
  summary: "Download the archive of a backup",
  flags: {
    ...downloadFlags,
    output: flag.string("File to write (default: ./NAME-data.tar.gz)", "", { short: "o", placeholder: "path" }),
    force: flag.boolean("Replace the file if it exists"),
  },
  async run({ args, flags }, world, scope) {
    const [name, ...more] = args;
    if (!name || more.length > 0)
      throw new AppError("InvalidArgument", "one name is needed: jibe backup download NAME");
    const path = flags.output || `./${name}-data.tar.gz`;
    if (!flags.force && (await exists(path))) {
      throw new AppError("AlreadyExists", `file ${path} exists; use --force to replace it, or --output for another`);
    }
    await using access = await openClusterAccess(flags, world, scope);
    await access.get(veleroTypes.backup, name, scope);
    const trust = {
      insecureSkipTlsVerify: flags.insecureSkipTlsVerify,
      ...(flags.cacert ? { caCertFile: flags.cacert } : {}),
    };
    const options = { access, clock: world.clock, timeoutMs: flags.timeout, ...trust };
    const content = downloadFile({ kind: "BackupContents", name }, options, scope);
    try {
      await pipeline(content, createWriteStream(path, { mode: 0o600 }), { signal: scope.signal });
    } catch (error) {
      await rm(path, { force: true }).catch(() => {}); // a part of an archive is none; where nothing was written, nothing is left
      if ((error as NodeJS.ErrnoException).syscall === "open")
        throw new AppError("InvalidArgument", `cannot write ${path}; use --output for another place`, { cause: error });
      throw error;
    }
    world.out.line(`Backup ${name} has been successfully downloaded to ${path}`);
    return exitCode.ok;
  },
});

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
