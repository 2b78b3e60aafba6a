import { expect, test } from "vitest";
import { inTurns } from "./in-turns.ts";

const named = (order: string[]) => (name: string, seconds: number) => ({
  name,
  measure: async (round: number) => {
    order.push(`${name}${round}`);
    return { seconds };
  },
});

test("every round begins with another contestant", async () => {
  const order: string[] = [];
  const contestant = named(order);
  await inTurns([contestant("a", 1), contestant("b", 1), contestant("c", 1)], { rounds: 3, mostSeconds: 60 });
  expect(order).toEqual(["a0", "b0", "c0", "b1", "c1", "a1", "c2", "a2", "b2"]);
});

test("who takes too long is measured once", async () => {
  const contestant = named([]);
  const measured = await inTurns([contestant("quick", 1), contestant("slow", 61)], { rounds: 3, mostSeconds: 60 });
  expect(measured.map(({ name, rounds }) => [name, rounds.length])).toEqual([
    ["quick", 3],
    ["slow", 1],
  ]);
});

test("who has rounds from before gets those that are missing", async () => {
  const order: string[] = [];
  const contestant = named(order);
  const earlier = [
    { name: "a", rounds: [{ seconds: 1 }, { seconds: 2 }, { seconds: 3 }] },
    { name: "b", rounds: [{ seconds: 9 }] },
  ];
  const contestants = [contestant("a", 1), contestant("b", 1), contestant("c", 1)];
  const measured = await inTurns(contestants, { rounds: 3, mostSeconds: 60, earlier });
  expect(order).toEqual(["c0", "b1", "c1", "c2", "b2"]);
  expect(measured.map(({ rounds }) => rounds.length)).toEqual([3, 3, 3]);
  expect(measured[1]?.rounds[0]).toEqual({ seconds: 9 });
});
