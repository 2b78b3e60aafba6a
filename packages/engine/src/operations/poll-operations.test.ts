import { AppError } from "@jibe/base";
import type { OperationProgress } from "@jibe/plugin-sdk/contracts";
import { fakeClock, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import type { OperationStatus } from "./item-operation.ts";
import { OperationPoller } from "./poll-operations.ts";

interface Operation {
  readonly spec: { readonly operationID: string };
  readonly status: OperationStatus;
}

const start = new Date("2026-01-02T03:04:05Z");
const fresh = (operationID: string): Operation => ({
  spec: { operationID },
  status: { phase: "New", created: "2026-01-02T03:04:05Z" },
});

function poller(
  operations: readonly Operation[],
  answers: (id: string) => Promise<OperationProgress>,
  cancel: (id: string) => Promise<void> = async () => {},
) {
  const clock = fakeClock({ start });
  const asked: string[] = [];
  const made = new OperationPoller<Operation>(
    operations,
    {
      progress: ({ spec }) => {
        asked.push(spec.operationID);
        return answers(spec.operationID);
      },
      cancel: ({ spec }) => cancel(spec.operationID),
      pluginOf: () => "example.io/copy",
    },
    { clock, timeoutMs: 60_000, frequencyMs: 10_000, limit: 8 },
  );
  return { made, clock, asked };
}

test("asks each running operation and ends with all of them", async () => {
  await using scope = testScope();
  const { made } = poller([fresh("a"), fresh("b")], async () => ({ completed: true }));
  const outcome = await made.poll(scope);
  expect(outcome).toEqual({ failures: [], hasChanged: true });
  expect(made.operations.map(({ status }) => status.phase)).toEqual(["Completed", "Completed"]);
});

test("asks a young operation sooner than an old one, and none before it is due", async () => {
  await using scope = testScope();
  const { made, clock, asked } = poller([fresh("a")], async () => ({ completed: false }));
  const first = await made.poll(scope);
  expect(first.nextInMs).toBe(1000);
  await made.poll(scope);
  expect(asked).toHaveLength(1);
  await clock.advance(40_000);
  const later = await made.poll(scope);
  expect(later.nextInMs).toBe(10_000);
});

test("cancels an operation whose time is up and records that canceling failed", async () => {
  await using scope = testScope();
  const { made, clock } = poller(
    [fresh("a")],
    async () => ({ completed: false }),
    async () => {
      throw new AppError("Internal", "cannot stop");
    },
  );
  await clock.advance(61_000);
  const { failures } = await made.poll(scope);
  expect(failures.map(({ message }) => message)).toEqual([
    "Asynchronous action timed out (canceling it failed: cannot stop)",
  ]);
  expect(made.operations[0]?.status.phase).toBe("Failed");
});

test("one plugin that cannot answer does not keep others from ending", async () => {
  await using scope = testScope();
  const { made } = poller([fresh("dead"), fresh("b")], async (id) => {
    if (id === "dead") throw new AppError("Unavailable", "no process");
    return { completed: true };
  });
  const { failures } = await made.poll(scope);
  expect(failures).toEqual([]);
  expect(made.operations.map(({ status }) => status.phase)).toEqual(["New", "Completed"]);
});

test("polls ten thousand operations in one round, with a bounded number of open questions", async () => {
  await using scope = testScope();
  let open = 0;
  let most = 0;
  const { made } = poller(
    Array.from({ length: 10_000 }, (_, index) => fresh(String(index))),
    async () => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      return { completed: false };
    },
  );
  await made.poll(scope);
  expect(most).toBeLessThanOrEqual(8);
});

test("cancelAll does not wait for plugins that hang", async () => {
  await using scope = testScope();
  const operations = Array.from({ length: 20 }, (_, index) => fresh(String(index)));
  const hang = () => new Promise<never>(() => {});
  const { made, clock } = poller(operations, async () => ({ completed: false }), hang);
  const canceling = made.cancelAll("Canceled by user", scope);
  for (let done = false; !done; ) {
    await clock.advanceToNext();
    done = made.operations.every(({ status }) => status.phase === "Failed");
  }
  expect((await canceling).map(({ message }) => message)).toContain(
    "Canceled by user (canceling it failed: canceling took longer than 20000 ms)",
  );
  expect(clock.now().getTime() - start.getTime()).toBeLessThan(21_000);
});

test("cancelAll tells every plugin and fails what still ran", async () => {
  await using scope = testScope();
  const canceled: string[] = [];
  const ended: Operation = { spec: { operationID: "done" }, status: { phase: "Completed" } };
  const { made } = poller(
    [fresh("a"), ended],
    async () => ({ completed: false }),
    async (id) => void canceled.push(id),
  );
  const failures = await made.cancelAll("Canceled by user", scope);
  expect(canceled).toEqual(["a"]);
  expect(failures.map(({ message }) => message)).toEqual(["Canceled by user"]);
  expect(made.operations.map(({ status }) => status.phase)).toEqual(["Failed", "Completed"]);
});
