import { AppError, type ErrorCode } from "@jibe/base";
import { describe, expect, test } from "vitest";
import { errorFromNetwork, errorFromResponse, isExpired, statusOf } from "./status-error.ts";

const response = (status: number, body: unknown, headers = {}) => ({
  status,
  headers,
  body: Buffer.from(
    typeof body === "string" ? body : JSON.stringify({ kind: "Status", code: status, ...Object(body) }),
  ),
});

describe("errorFromResponse", () => {
  const cases: Record<string, { status: number; reason?: string; want: ErrorCode }> = {
    "404 is NotFound": { status: 404, want: "NotFound" },
    "409 is Conflict": { status: 409, reason: "Conflict", want: "Conflict" },
    "409 with AlreadyExists is that": { status: 409, reason: "AlreadyExists", want: "AlreadyExists" },
    "410 is Conflict": { status: 410, reason: "Expired", want: "Conflict" },
    "400 is InvalidArgument": { status: 400, want: "InvalidArgument" },
    "422 is InvalidArgument": { status: 422, reason: "Invalid", want: "InvalidArgument" },
    "401 is PermissionDenied": { status: 401, want: "PermissionDenied" },
    "403 is PermissionDenied": { status: 403, want: "PermissionDenied" },
    "405 is Unsupported": { status: 405, want: "Unsupported" },
    "429 is Unavailable": { status: 429, want: "Unavailable" },
    "500 is Unavailable": { status: 500, want: "Unavailable" },
    "504 is Unavailable": { status: 504, want: "Unavailable" },
  };
  for (const [name, { status, reason, want }] of Object.entries(cases)) {
    test(name, () => expect(errorFromResponse("cannot get it", response(status, { reason })).code).toBe(want));
  }

  test("carries all that the server said", () => {
    const details = { kind: "pods", retryAfterSeconds: 3, causes: [{ reason: "Bad", message: "no", field: "spec.x" }] };
    const answer = response(422, { reason: "Invalid", message: "spec.x is bad", details });
    const error = errorFromResponse('cannot create pods "web"', answer);
    expect(error.message).toBe('cannot create pods "web": spec.x is bad');
    expect(statusOf(new AppError("Internal", "wrapped", { cause: error }))).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: "spec.x is bad",
      causes: [{ reason: "Bad", message: "no", field: "spec.x" }],
      retryAfterMs: 3000,
    });
  });

  test("believes the Retry-After header first", () => {
    const error = errorFromResponse("cannot", response(429, {}, { "retry-after": "7" }));
    expect(statusOf(error)?.retryAfterMs).toBe(7000);
  });

  test("keeps the token that a 410 offers", () => {
    const error = errorFromResponse("cannot list", response(410, { metadata: { continue: "abc" } }));
    expect(isExpired(error)).toBe(true);
    expect(statusOf(error)?.continueToken).toBe("abc");
  });

  test("shows what a proxy said in the server's place", () => {
    const error = errorFromResponse("cannot get it", response(502, "<html>Bad Gateway</html>"));
    expect(error).toMatchObject({ code: "Unavailable", message: "cannot get it: <html>Bad Gateway</html>" });
  });
});

describe("errorFromNetwork", () => {
  test("is Unavailable when nobody answers", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    expect(errorFromNetwork("cannot get it", "https://127.0.0.1:1", cause)).toMatchObject({
      code: "Unavailable",
      message: "cannot get it: cannot reach https://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1",
    });
  });

  test("says what to look at when the server is not trusted", () => {
    const cause = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    const error = errorFromNetwork("cannot get it", "https://a", cause);
    expect(error.code).toBe("PermissionDenied");
    expect(error.message).toContain("certificate-authority");
  });
});
