/** Counts as Velero writes them into a status: those that are zero are left out. */
export function withoutZeros<Counts extends Readonly<Record<string, number>>>(counts: Counts): Partial<Counts> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<Counts>;
}
