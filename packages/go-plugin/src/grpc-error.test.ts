import { status } from "@grpc/grpc-js";
import { isRetriable } from "@jibe/base";
import { expect, test } from "vitest";
import { appErrorFromStatus } from "./grpc-error.ts";

const again = ["UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED"] as const;
const never = ["INVALID_ARGUMENT", "UNIMPLEMENTED", "NOT_FOUND", "UNKNOWN", "INTERNAL", "RESOURCE_EXHAUSTED"] as const;

for (const [codes, isAgain] of [[again, true] as const, [never, false] as const]) {
  for (const code of codes) {
    test(`a call that ended as ${code} may ${isAgain ? "" : "not "}succeed when it is made again`, () => {
      const error = appErrorFromStatus({ code: status[code], message: "boom", details: [] });
      expect(isRetriable(error)).toBe(isAgain);
    });
  }
}
