import type { Style } from "../output.ts";
import { shortSpan } from "../print/time.ts";
import { formatAmounts, formatCount, formatRate } from "./amounts.ts";
import type { OperationProgress, RunProgress } from "./run-progress.ts";

/** A piece of a line, and how it is to look. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export interface LineOptions {
  readonly columns: number;
  readonly rows: number;
  /** Steps of the spinner so far. */
  readonly frame: number;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const widestBar = 30;
const narrowestBar = 8;
/** How long a run may wait for a server before that is worth a hint. */
export const patienceMs = 10_000;
const farthestSeconds = 30 * 86_400;

export const overlooked = '  No server has taken it yet. Is one running? "jibe version" tells.';

/** Whether a run has waited so long for a server that there is probably none. */
export const isOverlooked = ({ phase, elapsedMs }: RunProgress) => phase === "New" && elapsedMs >= patienceMs;

/** What a terminal shows of a run: where it stands, then a line for each operation that is under way. */
export function progressLines(
  run: RunProgress,
  operations: readonly OperationProgress[],
  options: LineOptions,
): Span[][] {
  const lines = [runLine(run, options)];
  if (run.place) lines.push(cut([{ text: `  ${run.place}`, style: "dim" }], options.columns));
  if (isOverlooked(run)) lines.push(cut([{ text: overlooked, style: "yellow" }], options.columns));
  return [...lines, ...operationLines(operations, options)];
}

function runLine(run: RunProgress, { columns, frame }: LineOptions): Span[] {
  const head: Span[] = [{ text: `${spinner[frame % spinner.length]} `, style: "cyan" }, { text: run.phase }];
  const waits = run.phase.startsWith("Waiting") && run.operations.attempted > 0;
  const [done, total] = waits ? [run.operations.ended, run.operations.attempted] : [run.done, run.total];
  const tail: Span[] = [];
  if (run.queuePosition > 0) tail.push({ text: `  place ${run.queuePosition} in line` });
  if (total > 0) tail.push({ text: `  ${formatCount(done)}/${formatCount(total)} ${waits ? "operations" : "items"}` });
  if (!waits && run.perSecond >= 1 && done < total) {
    tail.push({ text: `  ${formatCount(Math.round(run.perSecond))}/s`, style: "dim" });
    const left = remainingText(done, total, run.perSecond);
    if (left) tail.push({ text: `  ${left}`, style: "dim" });
  } else tail.push({ text: `  ${shortSpan(run.elapsedMs)}`, style: "dim" });
  return withBar(head, tail, { columns, share: total > 0 ? done / total : undefined });
}

/** What is left at this speed, once that means something. */
export function remainingText(done: number, total: number, perSecond: number): string {
  const left = total - done;
  return perSecond > 0 && left > perSecond && left / perSecond < farthestSeconds
    ? `${shortSpan((left / perSecond) * 1000)} left`
    : "";
}

function operationLines(operations: readonly OperationProgress[], options: LineOptions): Span[][] {
  const room = Math.max(1, options.rows - 3);
  const shown = operations.slice(0, operations.length > room ? room - 1 : room);
  const widths = {
    item: Math.min(widest(shown.map(({ item }) => item)), Math.floor(options.columns / 2)),
    amounts: widest(shown.map(amountsOf)),
    rate: widest(shown.map((operation) => rateOf(operation, options.nowMs))),
    left: widest(shown.map((operation) => leftOf(operation, options.nowMs))),
  };
  const lines = shown.map((operation) => operationLine(operation, widths, options));
  const hidden = operations.length - shown.length;
  return hidden > 0 ? [...lines, cut([{ text: `  and ${hidden} more`, style: "dim" }], options.columns)] : lines;
}

const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length));
const amountsOf = ({ done, total, units }: OperationProgress) => (total > 0 ? formatAmounts(done, total, units) : "");

/** Units a second since the operation began; 0 when that is not known. */
function speedOf({ done, startedMs, updatedMs }: OperationProgress, nowMs: number): number {
  const seconds = startedMs === undefined ? 0 : ((updatedMs ?? nowMs) - startedMs) / 1000;
  return seconds > 0 ? done / seconds : 0;
}

function rateOf(operation: OperationProgress, nowMs: number): string {
  const speed = speedOf(operation, nowMs);
  return operation.total > 0 && speed > 0 ? formatRate(speed, operation.units) : "";
}

const leftOf = (operation: OperationProgress, nowMs: number) =>
  remainingText(operation.done, operation.total, speedOf(operation, nowMs));

/** The columns of all lines are as wide as their widest cell, so that the bars stand below one another. */
function operationLine(
  operation: OperationProgress,
  widths: Readonly<Record<"item" | "amounts" | "rate" | "left", number>>,
  { columns, nowMs }: LineOptions,
): Span[] {
  const { item, done, total, phase, description } = operation;
  const head: Span[] = [{ text: `  ${shorten(item, widths.item).padEnd(widths.item)}` }];
  if (total <= 0) {
    const said = description || (phase === "InProgress" ? "running" : phase.toLowerCase());
    return cut([...head, { text: `  ${said}`, style: "dim" }], columns);
  }
  const percent = `${String(Math.floor((Math.min(done, total) / total) * 100)).padStart(3)}%`;
  const tail: Span[] = [
    { text: ` ${percent}` },
    { text: `  ${amountsOf(operation).padStart(widths.amounts)}` },
    { text: `  ${rateOf(operation, nowMs).padStart(widths.rate)}`, style: "dim" },
    { text: `  ${leftOf(operation, nowMs).padStart(widths.left)}`, style: "dim" },
  ];
  return withBar(head, tail, { columns, share: done / total });
}

/** Puts a bar between head and tail. Where there is no room, the bar goes first, then the tail from its end. */
function withBar(
  head: readonly Span[],
  tail: readonly Span[],
  { columns, share }: { readonly columns: number; readonly share: number | undefined },
): Span[] {
  const kept = [...tail];
  while (kept.length > 0 && lengthOf([...head, ...kept]) >= columns) kept.pop();
  const room = Math.min(widestBar, columns - 3 - lengthOf([...head, ...kept]));
  const bar = share === undefined || room < narrowestBar || kept.length < tail.length ? [] : barSpans(share, room);
  return cut([...head, ...bar, ...kept], columns);
}

function barSpans(share: number, width: number): Span[] {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return [{ text: "  " }, { text: "█".repeat(full), style: "green" }, { text: "░".repeat(width - full), style: "dim" }];
}

const lengthOf = (spans: readonly Span[]) => spans.reduce((sum, { text }) => sum + text.length, 0);

/** Keeps the last column free: a character there makes some terminals wrap. */
function cut(spans: readonly Span[], columns: number): Span[] {
  let room = Math.max(0, columns - 1);
  return spans.flatMap((span) => {
    const text = span.text.slice(0, room);
    room -= text.length;
    return text === "" ? [] : [{ ...span, text }];
  });
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`;
}
