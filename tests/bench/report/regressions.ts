import type { Ratio } from "./ratios.ts";

/**
 * How much of the baseline a ratio has to keep. Two measurements on a busy machine differ by a third; one half, what a
 * change that doubles our cost leaves, is below the line.
 */
export const tolerance = 0.6;

/** Ratios by what they are about, as the baseline's file has them. */
export type Baseline = Readonly<Record<string, number>>;

export function baselineOf(ratios: readonly Ratio[]): Baseline {
  const checked = ratios.filter(({ isChecked }) => isChecked);
  return Object.fromEntries(checked.map(({ what, value }) => [what, Math.round(value * 100) / 100]));
}

/** A ratio that fell too far, or was not measured. */
export interface Regression {
  readonly what: string;
  readonly before: number;
  readonly now: number | undefined;
}

export function regressions(ratios: readonly Ratio[], baseline: Baseline): readonly Regression[] {
  return Object.entries(baseline).flatMap(([what, before]) => {
    const now = ratios.find((ratio) => ratio.what === what)?.value;
    return now !== undefined && now >= before * tolerance ? [] : [{ what, before, now }];
  });
}

/** Each ratio at its best, where parts were measured again. */
export function bestOfBoth(first: readonly Ratio[], again: readonly Ratio[]): readonly Ratio[] {
  return first.map((ratio) => {
    const other = again.find(({ what }) => what === ratio.what);
    return other && other.value > ratio.value ? other : ratio;
  });
}
