import type { PluginCallsResult } from "../../../packages/jibe/bench/plugin-calls.ts";
import type { KubeBenchResult } from "../../../packages/kube/bench/list-and-create.ts";
import type { SandboxComparison, SandboxFigures } from "../../../packages/sandbox/bench/measure-sandbox.ts";
import type { PartFigures } from "../part-result.ts";
import type { SoakFigures } from "../soak.ts";
import { count, shown, table } from "./markdown.ts";

/** The page's lines about a part that compares no servers; none for one that does. */
export function otherLines(figures: PartFigures): readonly string[] {
  if (figures.kind === "client") return clientLines(figures.client);
  if (figures.kind === "plugin calls") return pluginCallLines(figures.calls);
  if (figures.kind === "sandbox") return sandboxLines(figures.sandbox);
  if (figures.kind === "soak") return soakLines(figures.soak);
  return [];
}

function clientLines({ list, create, listPeakMb }: KubeBenchResult): readonly string[] {
  return [
    "## Kubernetes client",
    "",
    `Beside undici alone, which reads and parses the same answers and makes the same requests; ${count(list.items)} objects are listed. A process that only lists peaks at ${shown(listPeakMb)} MB (goal: 150).`,
    "",
    ...table(
      ["what", "ours", "bare", "ratio of the medians"],
      [
        ["CPU of a list, ms", shown(list.ours), shown(list.bare), shown(list.medianRatio)],
        ["creates a second", shown(create.ours), shown(create.bare), shown(create.medianRatio)],
      ],
    ),
  ];
}

function pluginCallLines(calls: readonly PluginCallsResult[]): readonly string[] {
  return [
    "## Calls of a plugin",
    "",
    "`Execute` of a no-op action in Go, called by jibe's host and by one in Go.",
    "",
    ...table(
      ["calls at once", "jibe's host, calls a second", "a host in Go"],
      calls.map(({ inFlight, oursPerSecond, goPerSecond }) => [inFlight, shown(oursPerSecond), shown(goPerSecond)]),
    ),
  ];
}

function sandboxLines({ objects, watchers, create, list, fanOut, peakMb }: SandboxFigures): readonly string[] {
  const row = (what: string, { ours, real, oursCpuSeconds, realCpuSeconds }: SandboxComparison) => [
    what,
    ...[ours, real, oursCpuSeconds, realCpuSeconds].map(shown),
  ];
  return [
    "## Embedded API server",
    "",
    `Beside kube-apiserver with etcd, ${count(objects)} objects of 1.3 KB; the sandbox peaks at ${shown(peakMb)} MB.`,
    "",
    ...table(
      ["what", "sandbox", "kube-apiserver", "CPU s", "CPU s of kube-apiserver, etcd apart"],
      [
        row("creates a second", create),
        row("one list of all, ms", list),
        row(`changes to ${watchers} watchers, ms`, fanOut),
      ],
    ),
  ];
}

function soakLines({ backups, restores, peakMb, heapMb, handles, faults }: SoakFigures): readonly string[] {
  const verdict = faults.length === 0 ? "Nothing grew, and nothing was left behind." : `**${faults.join(" ")}**`;
  return [
    "## Soak",
    "",
    `${count(backups)} backups and ${count(restores)} restores on one server: heap ${shown(heapMb.warm)} MB after the warm-up, ${shown(heapMb.end)} MB at the end;`,
    `open handles ${handles.warm} and ${handles.end}; peak ${shown(peakMb)} MB. ${verdict}`,
    "",
  ];
}
