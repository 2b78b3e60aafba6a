import { isAbsolute, normalize } from "node:path";
import { AppError, cloneJson } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";

const sources = ["hostPath", "local"] as const;

type Fields = Record<string, unknown>;

/** The folder behind a persistent volume of kind `hostPath` or `local`; empty for any other. */
export function volumePathOf(volume: KubernetesObject): string {
  const source = sourceOf(volume);
  const path = source?.["path"];
  return typeof path === "string" ? path : "";
}

/** A copy of the volume that lies in another folder. */
export function withVolumePath(volume: KubernetesObject, path: string): KubernetesObject {
  const copy = cloneJson(volume);
  const source = sourceOf(copy);
  if (!source) {
    const { name } = volume.metadata;
    throw new AppError("InvalidArgument", `persistent volume "${name}" is neither of kind hostPath nor local`);
  }
  source["path"] = path;
  return copy;
}

function sourceOf(volume: KubernetesObject): Fields | undefined {
  const spec = (volume["spec"] ?? {}) as Fields;
  const key = sources.find((name) => typeof spec[name] === "object" && spec[name] !== null);
  return key && (spec[key] as Fields);
}

/** A path that came from outside, checked: absolute, without `..`. */
export function checkedPath(what: string, path: string): string {
  if (!isAbsolute(path) || path.split("/").includes("..") || path.includes("\0")) {
    throw new AppError("InvalidArgument", `${what} must be an absolute path without "..", not ${JSON.stringify(path)}`);
  }
  const normal = normalize(path);
  return normal.length > 1 ? normal.replace(/\/+$/, "") : normal;
}
