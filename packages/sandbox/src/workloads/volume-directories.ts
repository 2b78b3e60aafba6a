import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "@jibe/base";

/** Where the bytes of simulated volumes live: one directory per volume. */
export interface VolumeDirectories {
  /** Makes the directory when it is not there and returns its path. */
  create(volume: string): string;
  /** Removes it with all it holds; does nothing when it is not there. */
  remove(volume: string): void;
}

/** Directories below one root on this machine. */
export function volumeDirectories(root: string): VolumeDirectories {
  const pathOf = (volume: string) => {
    // A volume's name is a DNS name; anything else must not become a path.
    if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(volume) || volume.includes("..")) {
      throw new AppError("InvalidArgument", `"${volume}" cannot be the name of a volume's directory`);
    }
    return join(root, volume);
  };
  return {
    create: (volume) => {
      const path = pathOf(volume);
      mkdirSync(path, { recursive: true });
      return path;
    },
    remove: (volume) => rmSync(pathOf(volume), { recursive: true, force: true }),
  };
}
