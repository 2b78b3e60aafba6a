/** One kill: at which passing of which point. */
export interface Kill {
  readonly point: string;
  readonly passing: number;
  readonly of: number;
}

/** The first, a middle and the last passing of each point. */
export function killsOf(counts: Readonly<Record<string, number>>): Kill[] {
  return Object.entries(counts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([point, of]) => [...new Set([1, Math.ceil(of / 2), of])].map((passing) => ({ point, passing, of })));
}

/** So many of them, spread over all. */
export function spread(kills: readonly Kill[], most: number): Kill[] {
  const step = Math.max(1, kills.length / most);
  return Array.from({ length: Math.min(most, kills.length) }, (_, index) => kills[Math.floor(index * step)] as Kill);
}

/** The head of the printed table. */
export function headOf(kills: readonly Kill[]): string {
  return `${kills.length} kills at ${new Set(kills.map(({ point }) => point)).size} points`;
}

/** A line of it. */
export function lineOf({ point, passing, of }: Kill, ended: string, faults: readonly string[]): string {
  return `${point} #${passing} of ${of}: ${ended}, ${faults.length === 0 ? "well" : faults.join("; ")}`;
}
