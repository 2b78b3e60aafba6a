/** Extra facts about an error or a log line. Values must be printable as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** What the caller can do about an error. The text is for people, the code for callers. */
export type ErrorCode =
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "InvalidArgument"
  | "PermissionDenied"
  | "Unavailable"
  | "DeadlineExceeded"
  | "Unsupported"
  | "DataLoss"
  | "Internal";

/** The one error class. Foreign errors become one where they enter; being stopped from outside never does. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly fields: Fields;

  constructor(code: ErrorCode, message: string, { cause, fields = {} }: { cause?: unknown; fields?: Fields } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.fields = fields;
  }
}

const retriable: ReadonlySet<ErrorCode> = new Set(["Unavailable", "DeadlineExceeded"]);

/** Whether doing the same again may succeed. The only place that decides it. */
export function isRetriable(error: unknown): boolean {
  return error instanceof AppError && retriable.has(error.code);
}

/** Whether an error is an `AppError` of the given code. */
export function hasCode(error: unknown, code: ErrorCode): error is AppError {
  return error instanceof AppError && error.code === code;
}

/** An error's text with the texts of its causes, each said once: `cannot read "daily": connection refused`. */
export function messageOf(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; current !== undefined && current !== null && depth < 10; depth++) {
    const text = current instanceof Error ? current.message || current.name : String(current);
    if (!parts.some((part) => part.includes(text))) parts.push(text);
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(": ");
}
