/** Where values lie on one side of a plot. */
export interface Axis {
  /** The share of the length, from 0 to 1, at which a value lies. */
  readonly place: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
}

const withUnit = (value: number, unit: string) => `${value.toLocaleString("en", { maximumFractionDigits: 3 })}${unit}`;

/** An axis on which each step multiplies; its ends are powers of ten, or 2 or 5 times one. */
export function logAxis(values: readonly number[], unit = ""): Axis {
  const [least, most] = [floorOf(Math.min(...values)), ceilingOf(Math.max(...values))];
  const [from, to] = [Math.log10(least), Math.log10(most)];
  const steps = to - from > 2.2 ? [1] : [1, 2, 5];
  const ticks = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++) {
    for (const step of steps) {
      const value = step * 10 ** power;
      // A sum of floating numbers: what is an end by intent counts as inside.
      if (value >= least * 0.999 && value <= most * 1.001) ticks.push({ value, label: withUnit(value, unit) });
    }
  }
  return { place: (value) => (Math.log10(value) - from) / (to - from || 1), ticks };
}

/** An axis from zero on which each step adds. */
export function linearAxis(values: readonly number[], unit = ""): Axis {
  const most = Math.max(...values);
  const step = niceStep(most / 5);
  const top = Math.ceil(most / step) * step;
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => ({
    value: index * step,
    label: withUnit(index * step, unit),
  }));
  return { place: (value) => value / top, ticks };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return (([1, 2, 5, 10].find((step) => step * power >= rough * 0.999) ?? 10) as number) * power;
}

const niceEnds = [1, 2, 5, 10];

function floorOf(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (niceEnds.findLast((step) => step * power <= value * 1.001) ?? 1) * power;
}

function ceilingOf(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (niceEnds.find((step) => step * power >= value * 0.999) ?? 10) * power;
}
