import type { Output } from "../output.ts";
import { shortSpan } from "../print/time.ts";

export interface ProgressState {
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly perSecond: number;
  /** When the view began, on the monotonic clock. */
  readonly sinceMs: number;
  readonly operations: { readonly attempted: number; readonly ended: number };
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const widestBar = 30;

/** One line for a terminal of the given width: phase, bar, counts, rate, remaining time. Narrow terminals lose the bar first. */
export function progressLine(
  state: ProgressState,
  { columns, style, nowMs }: { readonly columns: number; readonly style: Output["style"]; readonly nowMs: number },
): string {
  const frame = spinner[Math.floor((nowMs - state.sinceMs) / 100) % spinner.length] ?? "";
  const { attempted, ended } = state.operations;
  const waits = state.phase.startsWith("Waiting") && attempted > 0;
  const done = waits ? ended : state.done;
  const total = waits ? attempted : state.total;
  const counts = total > 0 ? ` ${done}/${total} ${waits ? "operations" : "items"}` : "";
  const rate = !waits && state.perSecond >= 1 ? ` ${Math.round(state.perSecond)}/s` : "";
  const text = `${state.phase}${counts}${rate}${waits ? "" : remainingText(state)}`;
  const room = columns - text.length - 6;
  const bar = total > 0 && room >= 8 ? ` ${barText(done / total, Math.min(widestBar, room))}` : "";
  const shown = `${text}`.slice(0, Math.max(0, columns - 3));
  return `${style("cyan", frame)} ${bar === "" ? shown : `${shown}${style("green", bar)}`}`;
}

function barText(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)}`;
}

/** What is left at the rate so far, once that means something. */
export function remainingText({ done, total, perSecond }: Pick<ProgressState, "done" | "total" | "perSecond">): string {
  const left = total - done;
  return perSecond >= 1 && left > perSecond ? `, ${shortSpan((left / perSecond) * 1000)} left` : "";
}
