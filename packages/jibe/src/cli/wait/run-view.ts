import { isEnded } from "@jibe/engine";
import type { Backup, Restore } from "../../api/resources.ts";
import type { CliWorld } from "../command.ts";
import { formatCount } from "./amounts.ts";
import { LiveLines } from "./live-lines.ts";
import { isOverlooked, overlooked, patienceMs, progressLines, remainingText } from "./progress-lines.ts";
import { type OperationProgress, ProgressMeter, type RunProgress } from "./run-progress.ts";

/** Shows a run while someone waits: lines that redraw themselves on a terminal, a line a change elsewhere. */
export interface RunView extends Disposable {
  show(object: Backup | Restore): void;
  showOperations(operations: readonly OperationProgress[]): void;
}

const redrawMs = 125;
const plainIntervalMs = 10_000;

export function createRunView(
  kind: "backup" | "restore",
  { world, quiet, indent = 0 }: { readonly world: CliWorld; readonly quiet: boolean; readonly indent?: number },
): RunView {
  if (quiet) return { show: () => {}, showOperations: () => {}, [Symbol.dispose]: () => {} };
  const meter = new ProgressMeter(kind, world.clock.monotonicMs());
  return world.out.terminal
    ? terminalView(meter, world, { terminal: world.out.terminal, indent })
    : plainView(meter, world, indent);
}

function terminalView(
  meter: ProgressMeter,
  { out, clock }: CliWorld,
  { terminal, indent }: { readonly terminal: NonNullable<CliWorld["out"]["terminal"]>; readonly indent: number },
): RunView {
  using opened = new DisposableStack();
  const lines = opened.use(new LiveLines(terminal, out.style));
  let latest: { readonly object: Backup | Restore; readonly progress: RunProgress } | undefined;
  let operations: readonly OperationProgress[] = [];
  let frame = 0;
  let timer: Disposable | undefined;
  const draw = () => {
    if (!latest) return;
    const { columns, rows } = terminal;
    const options = { columns: columns - indent, rows, frame, nowMs: clock.now().getTime() };
    const drawn = progressLines(latest.progress, operations, options);
    lines.draw(drawn.map((spans) => [{ text: " ".repeat(indent) }, ...spans]));
  };
  const tick = () => {
    frame++;
    if (latest) latest = { ...latest, progress: meter.look(latest.object, clock.monotonicMs()) };
    draw();
    timer = clock.after(redrawMs, tick);
  };
  opened.use(terminal.onResize(draw));
  opened.defer(() => timer?.[Symbol.dispose]());
  const owned = opened.move();
  return {
    show: (object) => {
      latest = { object, progress: meter.look(object, clock.monotonicMs()) };
      if (!latest.progress.phase.startsWith("Waiting")) operations = [];
      draw();
      timer ??= clock.after(redrawMs, tick);
    },
    showOperations: (fresh) => {
      operations = fresh;
      draw();
    },
    [Symbol.dispose]: () => owned.dispose(),
  };
}

function plainView(meter: ProgressMeter, { out, clock }: CliWorld, indent: number): RunView {
  let said = { phase: "", atMs: Number.NEGATIVE_INFINITY };
  let latest: Backup | Restore | undefined;
  // A run that nobody takes does not change either: nothing else would bring the hint.
  const hint = clock.after(patienceMs + 100, () => {
    if (latest && isOverlooked(meter.look(latest, clock.monotonicMs()))) out.line(overlooked);
  });
  return {
    show: (object) => {
      latest = object;
      const atMs = clock.monotonicMs();
      const progress = meter.look(object, atMs);
      if (progress.phase === said.phase && atMs - said.atMs < plainIntervalMs) return;
      if (!isEnded(progress.phase) || progress.total > 0) out.line(" ".repeat(indent) + plainLine(progress));
      said = { phase: progress.phase, atMs };
    },
    showOperations: () => {},
    [Symbol.dispose]: () => hint[Symbol.dispose](),
  };
}

/** One line of a log: `InProgress: 120/4,000 items, 8s left, wave secrets: shop/login`. */
export function plainLine({ phase, place, done, total, perSecond, operations }: RunProgress): string {
  const waits = phase.startsWith("Waiting") && operations.attempted > 0;
  const counts = waits
    ? `: ${operations.ended}/${operations.attempted} operations`
    : total > 0
      ? `: ${formatCount(done)}/${formatCount(total)} items`
      : "";
  const left = waits ? "" : remainingText(done, total, perSecond);
  return [`${phase}${counts}`, left, place].filter((part) => part !== "").join(", ");
}
