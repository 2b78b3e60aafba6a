import { testScope } from "@jibe/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attemptOf, ClaimedRun, holderOf } from "./claimed-run.ts";
import { type SandboxBackups, sandboxBackups } from "./test/sandbox-backups.ts";

const scope = testScope();
let world: SandboxBackups;
let backups: SandboxBackups["backups"];

beforeAll(async () => {
  world = await sandboxBackups(scope);
  backups = world.backups;
}, 60_000);
afterAll(() => world[Symbol.asyncDispose]());

const create = (name: string) =>
  backups.create({ apiVersion: "velero.io/v1", kind: "Backup", metadata: { name }, spec: {} }, scope);
const patch = { status: { phase: "InProgress" } };

test("of two servers that saw the same backup only one takes it", async () => {
  const seen = await create("contended");
  const taken = await Promise.all(["a", "b"].map((holder) => ClaimedRun.take(backups, seen, { holder, patch }, scope)));
  expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
  const now = await backups.get("contended", scope);
  expect([holderOf(now), attemptOf(now), now.status?.phase]).toEqual([
    expect.stringMatching(/^[ab]$/),
    1,
    "InProgress",
  ]);
});

test("a status is written by the holder, also to remove a field", async () => {
  const taken = await ClaimedRun.take(backups, await create("own"), { holder: "a", patch }, scope);
  await taken?.run.patchStatus({ errors: 3, failureReason: "x" }, scope);
  const now = await taken?.run.patchStatus({ failureReason: undefined, queuePosition: undefined }, scope);
  expect(now?.status).toEqual({ phase: "InProgress", errors: 3 });
});

test("what a run is at is told while it goes on, and gone with a new phase", async () => {
  const taken = await ClaimedRun.take(backups, await create("told"), { holder: "a", patch }, scope);
  const told = await taken?.run.patchProgress({ progress: { totalItems: 9 } }, "pods", scope);
  expect([told?.status?.progress, told?.metadata.annotations?.["jibe.io/run-place"]]).toEqual([
    { totalItems: 9 },
    "pods",
  ]);
  const ended = await taken?.run.patchStatus({ phase: "Completed" }, scope);
  expect(Object.keys(ended?.metadata.annotations ?? {}).sort()).toEqual(["jibe.io/run-attempt", "jibe.io/run-holder"]);
});

test("who lost the run cannot write any more", async () => {
  const first = await ClaimedRun.take(backups, await create("lost"), { holder: "a", patch }, scope);
  const second = await ClaimedRun.take(backups, await backups.get("lost", scope), { holder: "b", patch: {} }, scope);
  expect(second?.run.attempt).toBe(2);
  await expect(first?.run.patchStatus({ phase: "Completed" }, scope)).rejects.toMatchObject({ code: "Conflict" });
  expect((await backups.get("lost", scope)).status?.phase).toBe("InProgress");
});

test("adopting goes on with the same attempt under a new holder", async () => {
  await ClaimedRun.take(backups, await create("adopted"), { holder: "a", patch }, scope);
  const run = await ClaimedRun.adopt(backups, await backups.get("adopted", scope), { holder: "b" }, scope);
  expect(run?.attempt).toBe(1);
  expect(holderOf(await backups.get("adopted", scope))).toBe("b");
});

test("a backup that is gone is taken by nobody", async () => {
  const seen = await create("gone");
  await backups.delete("gone", scope);
  expect(await ClaimedRun.take(backups, seen, { holder: "a", patch }, scope)).toBeUndefined();
});
