import type { PartResult } from "../part-result.ts";
import { count, shown } from "./markdown.ts";
import { best } from "./ratios.ts";

/** Goals that are no ratios: the most memory that something may need. */
export function absoluteGoals(results: readonly PartResult[]): readonly (readonly string[])[] {
  return results.flatMap(({ figures }): readonly (readonly string[])[] => {
    if (figures.kind === "client")
      return [row("peak of a process that lists 50,000 objects", figures.client.listPeakMb, 150)];
    if (figures.kind === "sandbox") {
      const { objects, peakMb } = figures.sandbox;
      return objects === 50_000 ? [row("peak of the sandbox with 50,000 objects", peakMb, 300)] : [];
    }
    if (figures.kind === "comparison" && figures.scenario === "plain" && figures.items === 50_000) {
      const { run, contestants } = figures;
      const ours = best(contestants.find(({ name }) => name === "jibe")?.rounds);
      return ours ? [row(`peak of jibe, ${run} of 50,000 items`, ours.peakMb, run === "backup" ? 200 : 250)] : [];
    }
    if (figures.kind !== "growth") return [];
    return figures.sizes.flatMap(({ items, restore }) => {
      const ours = best(restore);
      return items === 200_000 && ours ? [row(`peak of jibe, restore of ${count(items)} items`, ours.peakMb, 250)] : [];
    });
  });
}

const row = (what: string, mb: number, goal: number) => [
  what,
  `${shown(mb)} MB`,
  `${goal} MB ${mb <= goal ? "met" : "**missed**"}`,
];
