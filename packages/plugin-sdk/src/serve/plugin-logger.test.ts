import { describe, expect, test } from "vitest";
import { formatPluginLine, logLevelFrom, pluginLogger } from "./plugin-logger.ts";

describe("a plugin's log line", () => {
  const line = (fields: Record<string, unknown>) =>
    JSON.parse(formatPluginLine({ level: "warn", message: "m", fields })) as Record<string, unknown>;

  test("has the keys that hosts look for", () => {
    expect(line({ a: 1 })).toEqual({ "@level": "warn", "@message": "m", level: "warning", a: 1 });
  });

  test("keeps what would crash Velero or be lost out of its way", () => {
    expect(line({ name: 7, namespace: null, resource: { a: 1 }, level: "x", time: 5, "@message": "y" })).toMatchObject({
      name: "7",
      namespace: "null",
      resource: '{"a":1}',
      "field.level": "x",
      "field.time": 5,
      "field.@message": "y",
    });
  });

  test("shows objects by name and errors with their place", () => {
    const pod = { kind: "Pod", metadata: { namespace: "shop", name: "web" }, spec: { much: "more" } };
    expect(line({ pod, error: new Error("no") })).toMatchObject({
      pod: "Pod/shop/web",
      error: "no",
      "error.file": expect.stringContaining("plugin-logger.test.ts:"),
    });
  });

  test("never fails, whatever it is given", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(line({ circle, big: 5n, inside: { big: 5n }, f: () => 1, nothing: undefined })).toMatchObject({
      circle: "[object Object]",
      big: "5",
      inside: "[object Object]",
    });
  });
});

test("lines below the server's level are not written", () => {
  const written: string[] = [];
  const log = pluginLogger((text) => written.push(text), "warn");
  log.info("quiet");
  log.with({ a: 1 }).error("loud");
  expect(written).toEqual(['{"@level":"error","@message":"loud","level":"error","a":1}\n']);
});

const flags: Record<string, [readonly string[], string]> = {
  "in one word": [["--features=x", "--log-level=debug"], "debug"],
  "in two words": [["--log-level", "warning", "--unknown"], "warn"],
  "of Go's extra levels": [["--log-level=panic"], "error"],
  "that is unknown": [["--log-level=loud"], "info"],
  "that is absent": [["--log-format", "json"], "info"],
};
for (const [name, [args, want]] of Object.entries(flags)) {
  test(`the level ${name} is understood`, () => expect(logLevelFrom(args)).toBe(want));
}
