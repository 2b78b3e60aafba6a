/** The one source of chance of a simulated run: the same seed gives the same numbers. */
export interface SeededRandom {
  /** In [0, 1). */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number in [from, to]. */
  between(from: number, to: number): number;
  pick<T>(choices: readonly T[]): T;
}

export function seededRandom(seed: number): SeededRandom {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    chance: (probability) => next() < probability,
    between,
    pick: <T>(choices: readonly T[]): T => {
      if (choices.length === 0) throw new Error("nothing to pick from");
      return choices[between(0, choices.length - 1)] as T;
    },
  };
}
