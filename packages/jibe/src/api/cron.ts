import { AppError, parseGoDuration } from "@jibe/base";

/** When a schedule is due next. */
export interface CronSchedule {
  /** The first time strictly after `time`, or nothing when there is none within five years. */
  next(time: Date): Date | undefined;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: Readonly<Record<string, number>>;
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fields: readonly Field[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, names: Object.fromEntries(monthNames.map((name, index) => [name, index + 1])) },
  { name: "day of week", min: 0, max: 6, names: Object.fromEntries(dayNames.map((name, index) => [name, index])) },
];

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

interface FieldSet {
  readonly values: ReadonlySet<number>;
  /** Whether it was `*` or `?`: then the other of the two day fields decides alone. */
  readonly isStar: boolean;
}

/** Reads a cron expression: five fields, descriptors, `@every`, with `TZ=` or `CRON_TZ=` before it. */
export function parseCron(text: string, localZone: string): CronSchedule {
  let spec = text.trim();
  if (spec === "") throw invalid(text, "it is empty");
  let zone = localZone;
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(spec);
  if (zoned) {
    zone = checkedZone(text, zoned[1] ?? "");
    spec = zoned[2] ?? "";
  }
  if (spec.startsWith("@every ")) return every(text, spec.slice("@every ".length).trim());
  if (spec.startsWith("@")) {
    const expanded = descriptors[spec];
    if (!expanded) throw invalid(text, `unrecognized descriptor: ${spec}`);
    spec = expanded;
  }
  const words = spec.split(/\s+/);
  if (words.length !== fields.length) throw invalid(text, `expected exactly 5 fields, found ${words.length}`);
  const sets = fields.map((field, index) => parseField(text, words[index] ?? "", field));
  return { next: (time) => nextMatch(sets, zone, time) };
}

function invalid(text: string, why: string): AppError {
  return new AppError("InvalidArgument", `invalid schedule ${JSON.stringify(text)}: ${why}`);
}

function checkedZone(text: string, zone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone;
  } catch {
    throw invalid(text, `provided bad location ${zone}`);
  }
}

function every(text: string, word: string): CronSchedule {
  let ms: number;
  try {
    ms = parseGoDuration(word);
  } catch {
    throw invalid(text, `failed to parse duration ${word}`);
  }
  const stepMs = Math.max(1000, ms - (ms % 1000));
  return { next: (time) => new Date(time.getTime() + stepMs - (time.getTime() % 1000)) };
}

function parseField(text: string, word: string, field: Field): FieldSet {
  const values = new Set<number>();
  let isStar = false;
  for (const part of word.split(",")) {
    const [range = "", step, ...more] = part.split("/");
    if (more.length > 0) throw invalid(text, `too many slashes: ${part}`);
    const [low = "", high, ...tail] = range.split("-");
    if (tail.length > 0) throw invalid(text, `too many hyphens: ${part}`);
    const whole = low === "*" || low === "?";
    if (whole && step === undefined) isStar = true;
    const from = whole ? field.min : number(text, low, field);
    const to =
      whole || (high === undefined && step !== undefined)
        ? field.max
        : high === undefined
          ? from
          : number(text, high, field);
    const by = step === undefined ? 1 : plainNumber(text, step);
    if (from > to) throw invalid(text, `beginning of range (${from}) beyond end of range (${to}): ${part}`);
    if (by === 0) throw invalid(text, `step of range should be a positive number: ${part}`);
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return { values, isStar };
}

function number(text: string, word: string, field: Field): number {
  const value = field.names?.[word.toLowerCase()] ?? plainNumber(text, word);
  if (value < field.min) throw invalid(text, `${field.name} ${value} is below ${field.min}`);
  if (value > field.max) throw invalid(text, `${field.name} ${value} is above ${field.max}`);
  return value;
}

function plainNumber(text: string, word: string): number {
  if (!/^\d+$/.test(word)) throw invalid(text, `failed to parse number ${JSON.stringify(word)}`);
  return Number(word);
}

function nextMatch(sets: readonly FieldSet[], zone: string, time: Date): Date | undefined {
  const [minutes, hours, days, months, weekdays] = sets;
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  const matchesDay = (at: Temporal.ZonedDateTime) => {
    const byDay = days.values.has(at.day);
    const byWeekday = weekdays.values.has(at.dayOfWeek % 7);
    return days.isStar || weekdays.isStar ? byDay && byWeekday : byDay || byWeekday;
  };
  let at = Temporal.Instant.fromEpochMilliseconds(time.getTime())
    .toZonedDateTimeISO(zone)
    .round({ smallestUnit: "minute", roundingMode: "floor" })
    .add({ minutes: 1 });
  const lastYear = at.year + 5;
  while (at.year <= lastYear) {
    if (!months.values.has(at.month)) at = at.with({ day: 1 }).add({ months: 1 }).startOfDay();
    else if (!matchesDay(at)) at = at.add({ days: 1 }).startOfDay();
    else if (!hours.values.has(at.hour)) at = at.add({ hours: 1 }).with({ minute: 0 });
    else if (!minutes.values.has(at.minute)) at = at.add({ minutes: 1 });
    else return new Date(at.epochMilliseconds);
  }
  return undefined;
}
