/** Someone who is measured: a server, or a bare loop. */
export interface Contestant<Figures> {
  readonly name: string;
  readonly measure: (round: number) => Promise<Figures>;
}

/** What was measured of one contestant, round by round. */
export interface Rounds<Figures> {
  readonly name: string;
  readonly rounds: readonly Figures[];
}

export interface TurnOptions<Figures> {
  readonly rounds: number;
  readonly mostSeconds: number;
  /** Rounds that were measured before and count. */
  readonly earlier?: readonly Rounds<Figures>[];
}

/** Whether a contestant needs no further round. */
export function isMeasured(
  { rounds }: Rounds<{ readonly seconds: number }>,
  wanted: Pick<TurnOptions<unknown>, "rounds" | "mostSeconds">,
): boolean {
  return rounds.length >= wanted.rounds || (rounds.at(-1)?.seconds ?? 0) > wanted.mostSeconds;
}

/**
 * Measures contestants in turns. Every round begins with another, so that none always finds the machine rested or tired.
 * Whoever takes longer than `mostSeconds` has no further round: its spread would cost more than it tells.
 */
export async function inTurns<Figures extends { readonly seconds: number }>(
  contestants: readonly Contestant<Figures>[],
  { rounds, mostSeconds, earlier = [] }: TurnOptions<Figures>,
): Promise<readonly Rounds<Figures>[]> {
  const measured = contestants.map(({ name }) => ({
    name,
    rounds: [...(earlier.find((known) => known.name === name)?.rounds ?? [])],
  }));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const place = (round + turn) % contestants.length;
      const [contestant, kept] = [contestants[place], measured[place]];
      if (!contestant || !kept || kept.rounds.length > round || isMeasured(kept, { rounds, mostSeconds })) continue;
      kept.rounds.push(await contestant.measure(round));
    }
  }
  return measured;
}
