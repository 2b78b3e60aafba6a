import { AppError, type ErrorCode } from "@jibe/base";
import { expect, test } from "vitest";
import { s3Error } from "./s3-error.ts";

const status = (httpStatusCode: number, name = "") =>
  Object.assign(new Error("said"), { name, $metadata: { httpStatusCode } });
const connection = (code: string) => Object.assign(new Error("said"), { code });

const cases: Record<string, { error: unknown; want: ErrorCode }> = {
  "a missing key": { error: status(404, "NoSuchKey"), want: "NotFound" },
  "a 404 without a name": { error: status(404), want: "NotFound" },
  "a missing bucket": { error: status(404, "NoSuchBucket"), want: "NotFound" },
  "a wrong key": { error: status(403, "InvalidAccessKeyId"), want: "PermissionDenied" },
  "missing credentials": {
    error: Object.assign(new Error(), { name: "CredentialsProviderError" }),
    want: "PermissionDenied",
  },
  "a slow-down": { error: status(503, "SlowDown"), want: "Unavailable" },
  "a server error": { error: status(500, "InternalError"), want: "Unavailable" },
  "a reset connection": { error: connection("ECONNRESET"), want: "Unavailable" },
  "a refused connection": { error: connection("ECONNREFUSED"), want: "Unavailable" },
  "a silent connection": { error: Object.assign(new Error(), { name: "TimeoutError" }), want: "Unavailable" },
  "a damaged upload": { error: status(400, "BadDigest"), want: "Unavailable" },
  "an object that changed": { error: status(412, "PreconditionFailed"), want: "Conflict" },
  "a bad request": { error: status(400, "InvalidRequest"), want: "InvalidArgument" },
  "anything else": { error: new Error("what"), want: "Internal" },
};
for (const [name, { error, want }] of Object.entries(cases)) {
  test(`${name} becomes ${want}`, () => expect(s3Error('read "x"', error)).toMatchObject({ code: want, cause: error }));
}

test("an error names what was done and what the server answered", () => {
  expect(s3Error('read "x"', status(503, "SlowDown")).message).toBe(
    'cannot read "x": the server answered 503 SlowDown',
  );
});

test("our own errors stay as they are", () => {
  const own = new AppError("DataLoss", "own");
  expect(s3Error("x", own)).toBe(own);
});
