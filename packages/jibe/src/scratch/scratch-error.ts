import { AppError } from "@jibe/base";

/** A file system's error on a scratch file, said so that an operator knows what to do. */
export function scratchError(doing: string, path: string, cause: unknown): AppError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new AppError("Unavailable", `cannot ${doing} scratch file ${path}: the disk is full`, { cause });
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new AppError("PermissionDenied", `cannot ${doing} scratch file ${path}`, { cause });
  }
  return new AppError("Internal", `cannot ${doing} scratch file ${path}`, { cause });
}
