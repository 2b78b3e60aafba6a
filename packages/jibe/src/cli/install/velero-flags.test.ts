import { expect, test } from "vitest";
import { parseArguments } from "../parse-arguments.ts";
import { notesOnVeleroOnly, passedOn, passedOnFlags, veleroOnlyFlags } from "./velero-flags.ts";

const read = (...argv: string[]) => parseArguments(argv, { ...passedOnFlags, ...veleroOnlyFlags });

test("only flags that were given are passed on to the server", () => {
  const { flags, given } = read(
    "--garbage-collection-frequency=2h",
    "--concurrent-backups=8",
    "--schedule-skip-immediately",
  );
  expect(passedOn(flags, given)).toEqual([
    "--garbage-collection-frequency=2h0m0s",
    "--concurrent-backups=8",
    "--schedule-skip-immediately=true",
  ]);
});

test("flags for parts that jibe does not have are taken and said to do nothing", () => {
  const { given } = read("--use-node-agent", "--uploader-type=kopia");
  expect(notesOnVeleroOnly(given)).toEqual([
    "--use-node-agent has no effect: there is no node agent",
    "--uploader-type has no effect: there is no uploader",
  ]);
});
