import { AppError } from "@jibe/base";
import { fakeClock, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { configMap } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { restoreWorld } from "../../test/restore-world.ts";
import { runRestore } from "./run-restore.ts";

/** Restores one item whose action starts an operation; its record is refused so many times. */
async function restoreWithRefusals(refusals: number) {
  using scope = testScope();
  const canceled: string[] = [];
  const cancel = async (id: string) => void canceled.push(id);
  const action = restoreAction("x/op", { includedResources: ["cm"] }, () => ({ operationId: "op-1" }), { cancel });
  const clock = fakeClock({ autoAdvance: true });
  const world = await restoreWorld({ backedUp: [configMap("shop/x")], actions: [action], clock }, scope);
  let attempts = 0;
  const saveOperations = async () => {
    if (attempts++ < refusals) throw new AppError("Unavailable", "the store is away");
  };
  const result = await runRestore(world.request, { ...world.ports, saveOperations }, scope);
  return { ...result, canceled, world };
}

test("operations that cannot be recorded are canceled, and the restore does not wait for them", async () => {
  const { status, operations, canceled, world } = await restoreWithRefusals(Number.POSITIVE_INFINITY);
  const error = "the operation cannot be recorded: the store is away";
  expect(canceled).toEqual(["op-1"]);
  expect(operations).toMatchObject([{ status: { phase: "Failed", error } }]);
  expect(status).toMatchObject({ phase: "FinalizingPartiallyFailed", errors: 1, restoreItemOperationsFailed: 1 });
  expect(world.file("results")).toContain(error);
});

test("a store that is back after three refusals is in time for them", async () => {
  const { status, canceled } = await restoreWithRefusals(3);
  expect(status.phase).toBe("WaitingForPluginOperations");
  expect(canceled).toEqual([]);
});
