import { AppError } from "@jibe/base";
import { checkedPath } from "./volume-path.ts";

/** How a VolumeSnapshotLocation of provider `jibe.io/local-volume` is configured. */
export interface LocalVolumeSettings {
  /** Where snapshots are kept. */
  readonly root: string;
  /** Where the file system of the node is seen by the server; `/` unless the server runs in a container of its own. */
  readonly hostRoot: string;
  /** Where restored volumes are made, as the node sees it; beside the original unless given. */
  readonly volumes?: string;
  /** Files copied at once. */
  readonly parallelFiles: number;
}

const known = ["root", "hostRoot", "volumes", "parallelFiles", "credentialsFile"];

export function localVolumeSettings(config: Readonly<Record<string, string>>): LocalVolumeSettings {
  const unknown = Object.keys(config).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw invalid(`unknown key ${unknown.join(", ")}; there are ${known.slice(0, -1).join(", ")}`);
  const { root, hostRoot = "/", volumes, parallelFiles = "4" } = config;
  if (!root) throw invalid("root must name the folder where snapshots are kept");
  const count = Number(parallelFiles);
  if (!Number.isInteger(count) || count < 1 || count > 64) throw invalid("parallelFiles must be a number from 1 to 64");
  return {
    root: checkedPath("root", root),
    hostRoot: checkedPath("hostRoot", hostRoot),
    ...(volumes ? { volumes: checkedPath("volumes", volumes) } : {}),
    parallelFiles: count,
  };
}

function invalid(why: string): AppError {
  return new AppError("InvalidArgument", `invalid configuration of jibe.io/local-volume: ${why}`);
}
