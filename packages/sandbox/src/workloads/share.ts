/** A number of pods, given as such or as a percentage of all, which is rounded up. */
export const shareOf = (value: unknown, all: number): number =>
  typeof value === "number" ? value : Math.ceil((Number.parseInt(String(value), 10) * all) / 100);
