import { describe, expect, test } from "vitest";
import { resultFromStatus } from "./exec-result.ts";
import { OutputBuffer } from "./output-buffer.ts";

const outputOf = (text: string, maxBytes = 100) => {
  const stdout = new OutputBuffer(maxBytes);
  stdout.push(Buffer.from(text));
  return { stdout, stderr: new OutputBuffer(maxBytes) };
};

describe("how a command ended", () => {
  test("success is exit code 0", () => {
    const result = resultFromStatus("cannot run", '{"kind":"Status","status":"Success"}', outputOf("hello"));
    expect({ ...result, stdout: Buffer.from(result.stdout).toString() }).toMatchObject({
      exitCode: 0,
      stdout: "hello",
      truncated: false,
    });
  });

  test("a failed command is a result", () => {
    const causes = [{ reason: "ExitCode", message: "3" }];
    const status = { kind: "Status", status: "Failure", reason: "NonZeroExitCode", details: { causes } };
    expect(resultFromStatus("cannot run", JSON.stringify(status), outputOf(""))).toMatchObject({ exitCode: 3 });
  });

  test("a command that could not be run is an error", () => {
    const status = {
      kind: "Status",
      status: "Failure",
      reason: "InternalError",
      message: "no such container",
      code: 500,
    };
    expect(() => resultFromStatus("cannot run", JSON.stringify(status), outputOf(""))).toThrow("no such container");
  });

  test("output beyond the limit is dropped, and that is said", () => {
    const output = outputOf("0123456789", 4);
    output.stdout.push(Buffer.from("more"));
    const result = resultFromStatus("cannot run", '{"status":"Success"}', output);
    expect(Buffer.from(result.stdout).toString()).toBe("0123");
    expect(result.truncated).toBe(true);
  });
});
