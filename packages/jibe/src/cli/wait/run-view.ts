import type { Backup, Restore } from "../../api/resources.ts";
import type { CliWorld } from "../command.ts";
import { type ProgressState, progressLine, remainingText } from "./progress-line.ts";

/** Shows a run while someone waits: one line that redraws itself on a terminal, a line a change elsewhere. */
export interface RunView extends Disposable {
  show(object: Backup | Restore): void;
  readonly close: () => void;
}

const redrawMs = 250;
const plainIntervalMs = 10_000;

export function createRunView(
  kind: "backup" | "restore",
  { world, quiet }: { readonly world: CliWorld; readonly quiet: boolean },
): RunView {
  const { out, clock } = world;
  if (quiet) return { show: () => {}, close: () => {}, [Symbol.dispose]: () => {} };
  const { terminal } = out;
  let state: ProgressState | undefined;
  let firstCount: { readonly atMs: number; readonly done: number } | undefined;
  let timer: Disposable | undefined;
  let isClosed = false;
  let lastPlain = { text: "", atMs: Number.NEGATIVE_INFINITY };

  const draw = () => {
    if (!terminal || !state || isClosed) return;
    terminal.write(
      `\r\u001b[2K${progressLine(state, { columns: terminal.columns, style: out.style, nowMs: clock.monotonicMs() })}`,
    );
    timer?.[Symbol.dispose]();
    timer = clock.after(redrawMs, draw);
  };
  const close = () => {
    timer?.[Symbol.dispose]();
    if (!isClosed && terminal && state) terminal.write("\r\u001b[2K");
    isClosed = true;
  };
  const resized = terminal?.onResize(draw);
  return {
    show: (object) => {
      const next = stateOf(kind, object);
      const atMs = clock.monotonicMs();
      firstCount ??= next.done > 0 ? { atMs, done: next.done } : undefined;
      const elapsed = firstCount ? (atMs - firstCount.atMs) / 1000 : 0;
      const perSecond = firstCount && elapsed > 0 ? (next.done - firstCount.done) / elapsed : 0;
      state = { ...next, perSecond, sinceMs: state?.sinceMs ?? atMs };
      if (terminal) return draw();
      const isNews = state.phase !== lastPlain.text || atMs - lastPlain.atMs >= plainIntervalMs;
      if (isNews) out.line(`${state.phase}: ${state.done}/${state.total} items${remainingText(state)}`);
      if (isNews) lastPlain = { text: state.phase, atMs };
    },
    close,
    [Symbol.dispose]: () => {
      close();
      resized?.[Symbol.dispose]();
    },
  };
}

function stateOf(
  kind: "backup" | "restore",
  { status }: Backup | Restore,
): Omit<ProgressState, "perSecond" | "sinceMs"> {
  const counts = (status ?? {}) as Readonly<Record<string, unknown>>;
  const progress = (counts["progress"] ?? {}) as Readonly<Record<string, number | undefined>>;
  const count = (key: string) => Number(counts[`${kind}ItemOperations${key}`] ?? 0);
  return {
    phase: status?.phase ?? "New",
    done: progress[kind === "backup" ? "itemsBackedUp" : "itemsRestored"] ?? 0,
    total: progress["totalItems"] ?? 0,
    operations: { attempted: count("Attempted"), ended: count("Completed") + count("Failed") },
  };
}
