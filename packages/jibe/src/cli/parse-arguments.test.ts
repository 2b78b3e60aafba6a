import { expect, test } from "vitest";
import { commandTable } from "./command-table.ts";
import { findCommand } from "./find-command.ts";
import { flag, flagName } from "./flags.ts";
import { parseArguments } from "./parse-arguments.ts";

const flags = {
  includeNamespaces: flag.list("", ["*"]),
  snapshotVolumes: flag.optionalBoolean(""),
  wait: flag.boolean("", false, { short: "w" }),
  namespace: flag.string("", "", { short: "n" }),
  labels: flag.map(""),
  mappings: flag.map("", { separator: ":" }),
  ttl: flag.duration(""),
  count: flag.integer(""),
};
const parse = (...argv: string[]) => parseArguments(argv, flags);

test("flags and names come in any order", () => {
  const { args, flags: got } = parse("b1", "--wait", "--ttl", "1h", "b2");
  expect(args).toEqual(["b1", "b2"]);
  expect(got).toMatchObject({ wait: true, ttl: 3_600_000 });
});

test("a bare boolean does not swallow the next word", () => {
  const { args, flags: got } = parse("--snapshot-volumes", "b1");
  expect(args).toEqual(["b1"]);
  expect(got.snapshotVolumes).toBe(true);
});

test("booleans take a value after an equals sign", () => {
  expect(parse("--snapshot-volumes=false").flags.snapshotVolumes).toBe(false);
  expect(parse().flags.snapshotVolumes).toBeUndefined();
});

test("a repeated list replaces the earlier one, maps add up", () => {
  const { flags: got } = parse(
    "--include-namespaces=a,b",
    "--include-namespaces",
    "c",
    "--labels",
    "a=1,b=2",
    "--labels=c=3",
  );
  expect(got.includeNamespaces).toEqual(["c"]);
  expect(got.labels).toEqual({ a: "1", b: "2", c: "3" });
});

test("map values may hold commas inside quotes and equals signs", () => {
  expect(parse("--labels", '"a=1,5",b=x=y').flags.labels).toEqual({ a: "1,5", b: "x=y" });
  expect(parse("--mappings", "a:b,c:d").flags.mappings).toEqual({ a: "b", c: "d" });
});

test("short flags take values in three ways and can be joined", () => {
  expect(parse("-n", "x").flags.namespace).toBe("x");
  expect(parse("-nx").flags.namespace).toBe("x");
  expect(parse("-n=x").flags.namespace).toBe("x");
  expect(parse("-wn", "x").flags).toMatchObject({ wait: true, namespace: "x" });
});

test("two dashes end the flags", () => expect(parse("--", "--wait").args).toEqual(["--wait"]));

const bad: Record<string, readonly [readonly string[], RegExp]> = {
  "a mistyped flag with a guess": [
    ["--include-namespcaes", "x"],
    /unknown flag: --include-namespcaes \(did you mean --include-namespaces\?\)/,
  ],
  "a missing value": [["--ttl"], /flag needs a value: --ttl/],
  "a bad duration": [["--ttl", "tomorrow"], /flag --ttl: invalid duration "tomorrow"/],
  "a bad number": [["--count", "1.5"], /must be a whole number/],
  "a bad boolean": [["--wait=perhaps"], /must be true or false/],
  "a bad pair": [["--labels", "x"], /must look like key=value/],
};
for (const [name, [argv, want]] of Object.entries(bad)) {
  test(`refuses ${name}`, () => expect(() => parse(...argv)).toThrow(want));
}

test("names of flags are dashed", () => {
  expect(["includeNamespaces", "maxConcurrentK8sConnections", "ttl"].map(flagName)).toEqual([
    "include-namespaces",
    "max-concurrent-k8s-connections",
    "ttl",
  ]);
});

const found: Record<string, readonly [readonly string[], string, readonly string[]]> = {
  "noun first": [["backup", "create", "b1"], "backup|backups create", ["b1"]],
  "verb first": [["create", "backup", "b1"], "backup|backups create", ["b1"]],
  plural: [["get", "backups"], "backup|backups get", []],
  "global flags before the command": [
    ["-n", "backup", "backup", "get", "x"],
    "backup|backups get",
    ["-n", "backup", "x"],
  ],
};
for (const [name, [argv, path, rest]] of Object.entries(found)) {
  test(`finds a command said ${name}`, () =>
    expect(findCommand(argv, commandTable)).toMatchObject({ entry: { path }, rest }));
}

test("a mistyped command gets a guess", () => {
  expect(() => findCommand(["bakcup", "get"], commandTable)).toThrow(
    /unknown command "bakcup" for "jibe": did you mean "backup"\?/,
  );
  expect(() => findCommand(["backup", "gte"], commandTable)).toThrow(/for "jibe backup": did you mean "get"\?/);
});
