import { AppError } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { memoryScratch } from "../../test/memory-scratch.ts";
import { Spool } from "./spool.ts";

const body = (name: string, size: number) =>
  new TextEncoder().encode(
    JSON.stringify({ apiVersion: "v1", kind: "Thing", metadata: { name }, data: "x".repeat(size) }),
  );

test("bodies come back as they were, in any order, across windows and larger than one", async () => {
  using scope = testScope();
  await using spool = new Spool(await memoryScratch().create("spool", scope));
  const bodies = Array.from({ length: 400 }, (_, index) => body(`n${index}`, (index * 997) % 5000));
  bodies.push(body("large", 600_000), body("last", 1));
  const extents = [...(await spool.add(bodies.slice(0, 250), scope)), ...(await spool.add(bodies.slice(250), scope))];
  const order = extents.map((_, index) => (index * 211) % extents.length);
  for (const index of order) {
    const extent = extents[index] ?? { offset: 0, length: 0 };
    expect(Buffer.from((await spool.read(extent, scope)).bytes).equals(bodies[index] ?? new Uint8Array())).toBe(true);
  }
});

test("a read that fails is tried again by the next reader", async () => {
  using scope = testScope();
  const file = await memoryScratch().create("spool", scope);
  let failures = 1;
  const flaky = {
    append: file.append.bind(file),
    stream: file.stream.bind(file),
    get size() {
      return file.size;
    },
    read: async (...args: Parameters<typeof file.read>) => {
      if (failures-- > 0) throw new AppError("Unavailable", "disk is away");
      return file.read(...args);
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
  await using spool = new Spool(flaky);
  const [extent = { offset: 0, length: 0 }] = await spool.add([body("a", 10)], scope);
  await expect(spool.read(extent, scope)).rejects.toThrow("disk is away");
  expect((await spool.read(extent, scope)).object.metadata.name).toBe("a");
});
