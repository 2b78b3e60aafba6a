import { AppError, type ErrorCode } from "@jibe/base";

const codes: Readonly<Record<string, ErrorCode>> = {
  ENOENT: "NotFound",
  EACCES: "PermissionDenied",
  EPERM: "PermissionDenied",
  EROFS: "PermissionDenied",
  ENOSPC: "Unavailable",
  EDQUOT: "Unavailable",
  EIO: "Unavailable",
  ESTALE: "Unavailable",
  EMFILE: "Unavailable",
  ENFILE: "Unavailable",
  ENAMETOOLONG: "InvalidArgument",
};

/** The code that the file system gave, or an empty string for an error that is none of its. */
export function fileErrorCode(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? "") : "";
}

/** A file system's error, translated; an error that came from elsewhere is given back as it is. */
export function fileError(doing: string, key: string, cause: unknown): unknown {
  const code = fileErrorCode(cause);
  if (cause instanceof AppError || code === "" || code === "ABORT_ERR") return cause;
  const what = `cannot ${doing} ${JSON.stringify(key)}`;
  if (code === "ENOENT") return new AppError("NotFound", `${what}: object not found`, { cause });
  if (code === "ENOTDIR" || code === "EISDIR" || code === "EEXIST" || code === "ENOTEMPTY") {
    const why = "an object and a folder cannot have the same name in a file system";
    return new AppError("InvalidArgument", `${what}: ${why}`, { cause });
  }
  if (code === "ENOSPC" || code === "EDQUOT")
    return new AppError("Unavailable", `${what}: the disk is full`, { cause });
  return new AppError(codes[code] ?? "Internal", what, { cause });
}
