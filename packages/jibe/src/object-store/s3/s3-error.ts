import { AppError, type ErrorCode } from "@jibe/base";

interface ForeignError {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
}

const byName: Readonly<Record<string, ErrorCode>> = {
  NoSuchKey: "NotFound",
  NotFound: "NotFound",
  NoSuchBucket: "NotFound",
  NoSuchUpload: "NotFound",
  AccessDenied: "PermissionDenied",
  Forbidden: "PermissionDenied",
  InvalidAccessKeyId: "PermissionDenied",
  SignatureDoesNotMatch: "PermissionDenied",
  ExpiredToken: "PermissionDenied",
  InvalidToken: "PermissionDenied",
  CredentialsProviderError: "PermissionDenied",
  TokenProviderError: "PermissionDenied",
  PreconditionFailed: "Conflict",
  SlowDown: "Unavailable",
  RequestTimeout: "Unavailable",
  TimeoutError: "Unavailable",
  // The content did not arrive as it was sent; sending it again may help.
  BadDigest: "Unavailable",
  XAmzContentChecksumMismatch: "Unavailable",
  IncompleteBody: "Unavailable",
};

const connectionCodes: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

/** An error of the S3 client, translated; an `AppError` is given back as it is. `doing` names the object. */
export function s3Error(doing: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const { name = "", code = "", $metadata = {} } = (cause ?? {}) as ForeignError;
  const status = $metadata.httpStatusCode ?? 0;
  const fields = $metadata.requestId === undefined ? {} : { requestId: $metadata.requestId };
  const message = `cannot ${doing}${status === 0 ? "" : `: the server answered ${status} ${name}`.trimEnd()}`;
  return new AppError(byName[name] ?? fromConnection(code) ?? fromStatus(status), message, { cause, fields });
}

function fromConnection(code: string): ErrorCode | undefined {
  return connectionCodes.has(code) ? "Unavailable" : undefined;
}

function fromStatus(status: number): ErrorCode {
  if (status === 404) return "NotFound";
  if (status === 401 || status === 403) return "PermissionDenied";
  if (status === 409 || status === 412) return "Conflict";
  if (status === 408 || status === 429 || status >= 500) return "Unavailable";
  return status >= 400 ? "InvalidArgument" : "Internal";
}
