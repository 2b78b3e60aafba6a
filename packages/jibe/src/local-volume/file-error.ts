import { AppError } from "@jibe/base";

/** The code of a file system's error; empty for any other. */
export function fileErrorCode(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? "") : "";
}

/** A file system's error, said so that an operator knows what to do; any other is given back as it is. */
export function fileError(doing: string, cause: unknown): unknown {
  const code = fileErrorCode(cause);
  if (cause instanceof AppError || code === "" || code === "ABORT_ERR") return cause;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new AppError("Unavailable", `cannot ${doing}: the disk is full`, { cause });
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new AppError("PermissionDenied", `cannot ${doing}`, { cause });
  }
  return new AppError(code === "ENOENT" ? "NotFound" : "Internal", `cannot ${doing}`, { cause });
}
