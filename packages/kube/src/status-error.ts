import { AppError, type ErrorCode } from "@jibe/base";

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** What a Kubernetes `Status` said. Present on every error the API server answered with; see `statusOf`. */
export interface KubeStatus {
  /** The HTTP status. */
  readonly code: number;
  /** The server's word for it, such as `AlreadyExists`; empty when a proxy answered in its place. */
  readonly reason: string;
  /** The server's own text, without our context. */
  readonly message: string;
  readonly causes: readonly StatusCause[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number;
  /** The token that a 410 offers to go on with an expired list. */
  readonly continueToken?: string;
}

/** The `Status` behind an error, also when the error was wrapped; undefined when the server never answered. */
export function statusOf(error: unknown): KubeStatus | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 10; current = current.cause, depth++) {
    if (current instanceof AppError && isKubeStatus(current.fields)) return current.fields;
  }
  return undefined;
}

function isKubeStatus(fields: object): fields is KubeStatus {
  return "code" in fields && typeof fields.code === "number" && "reason" in fields && "causes" in fields;
}

/** Whether a resource version or continue token is too old to be served: read again from the start. */
export function isExpired(error: unknown): boolean {
  return statusOf(error)?.code === 410;
}

/**
 * Turns an answer of 400 and above into an error. 410 becomes `Conflict`: the caller's view of the world is outdated and
 * trying the same again cannot help, reading afresh does (`isExpired` tells it from other conflicts).
 */
export function errorFromResponse(
  what: string,
  response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: Uint8Array;
  },
): AppError {
  const status = parseStatus(response.status, Buffer.from(response.body).toString("utf8"));
  const header = Number(response.headers["retry-after"] ?? Number.NaN);
  const retryAfterMs = Number.isFinite(header) ? header * 1000 : status.retryAfterMs;
  return errorFromStatus(what, retryAfterMs === undefined ? status : { ...status, retryAfterMs });
}

/** As `errorFromResponse`, for a `Status` that came inside a stream. */
export function errorFromStatus(what: string, status: KubeStatus): AppError {
  return new AppError(codeOf(status), `${what}: ${status.message}`, { fields: { ...status } });
}

/** Reads a `Status` document, whatever is missing in it. */
export function statusFromDocument(code: number, document: Readonly<Record<string, unknown>>): KubeStatus {
  const details = asRecord(document["details"]);
  const retrySeconds = details["retryAfterSeconds"];
  const token = asRecord(document["metadata"])["continue"];
  const causes = Array.isArray(details["causes"]) ? details["causes"] : [];
  return {
    code: typeof document["code"] === "number" ? document["code"] : code,
    reason: asText(document["reason"]),
    message: asText(document["message"]) || `the server answered with status ${code}`,
    causes: causes.map(asRecord).map((cause) => ({
      reason: asText(cause["reason"]),
      message: asText(cause["message"]),
      field: asText(cause["field"]),
    })),
    details,
    ...(typeof retrySeconds === "number" && retrySeconds > 0 ? { retryAfterMs: retrySeconds * 1000 } : {}),
    ...(typeof token === "string" && token !== "" ? { continueToken: token } : {}),
  };
}

function parseStatus(code: number, text: string): KubeStatus {
  try {
    const document = asRecord(JSON.parse(text));
    if (document["kind"] === "Status") return statusFromDocument(code, document);
  } catch {
    // not JSON: something between us and the server answered, and its text is all there is
  }
  const message = text.trim().slice(0, 300) || `the server answered with status ${code}`;
  return { code, reason: "", message, causes: [], details: {} };
}

function codeOf({ code, reason }: KubeStatus): ErrorCode {
  if (code === 404) return "NotFound";
  if (code === 409) return reason === "AlreadyExists" ? "AlreadyExists" : "Conflict";
  if (code === 410) return "Conflict";
  if (code === 401 || code === 403) return "PermissionDenied";
  if (code === 405 || code === 501) return "Unsupported";
  if (code === 408 || code === 429 || code >= 500) return "Unavailable";
  return code >= 400 ? "InvalidArgument" : "Internal";
}

// Failures that waiting does not mend: the other side is not who it should be, or we are not known to it.
const trustFailure = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_OSSL)/;

/** Turns a failure to reach the server at all into an error that says what to look at. */
export function errorFromNetwork(what: string, server: string, cause: unknown): AppError {
  const code = errnoOf(cause);
  if (trustFailure.test(code)) {
    const hint = "check certificate-authority, tls-server-name and the client certificate of this cluster";
    return new AppError("PermissionDenied", `${what}: no trusted connection to ${server} (${code}): ${hint}`, {
      cause,
      fields: { server },
    });
  }
  const reason = cause instanceof Error ? cause.message || code : String(cause);
  return new AppError("Unavailable", `${what}: cannot reach ${server}: ${reason}`, { cause, fields: { server } });
}

function errnoOf(error: unknown): string {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth++) {
    if ("code" in current && typeof current.code === "string") return current.code;
  }
  return "";
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
