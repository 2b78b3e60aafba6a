import { readFileSync } from "node:fs";
import { type Scope, systemClock } from "@jibe/base";
import { BenchClient, type ServerAddress } from "./bench-client.ts";
import { type Bundle, startSandboxProcess } from "./sandbox-process.ts";

export interface SandboxBenchOptions {
  /** A real API server to stand beside. Its namespace `sandbox-bench` is the bench's. */
  readonly real: ServerAddress & { readonly apiServerPid: () => number };
  /** How many objects of about 1.3 KB are created and listed. */
  readonly objects: number;
  readonly watchers: number;
  /** How many changes each watcher hears of. */
  readonly changes: number;
  /** Lists and fan-outs are taken in turns; the best round of each side counts. */
  readonly rounds: number;
  readonly bundle: Bundle;
}

/** The sandbox against the real server. */
export interface SandboxFigures {
  readonly objects: number;
  readonly watchers: number;
  /** Objects per second; the limit is a ratio of 3. */
  readonly create: SandboxComparison;
  /** Milliseconds for one list of all objects; the limit is a ratio of 2. */
  readonly list: SandboxComparison;
  /** Milliseconds until every watcher has heard of every change; the limit is a ratio of 1. */
  readonly fanOut: SandboxComparison;
  /** The most memory that the sandbox has used (VmHWM) with all objects in it; the limit is 300 for 50,000. */
  readonly peakMb: number;
}

export interface SandboxComparison {
  readonly ours: number;
  readonly real: number;
  /** How many times better ours is. */
  readonly ratio: number;
  /** What the servers themselves worked; the real one's storage, etcd, is left out. */
  readonly oursCpuSeconds: number;
  readonly realCpuSeconds: number;
}

interface Side {
  readonly client: BenchClient;
  readonly pid: number;
}

type Sides = Readonly<Record<"ours" | "real", Side>>;

interface Figure {
  readonly value: number;
  readonly cpuSeconds: number;
}

const namespace = "sandbox-bench";
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const secrets = `/api/v1/namespaces/${namespace}/secrets`;
const inFlight = 32;

/** Measures the sandbox, in a process of its own, and a real API server with the same client. */
export async function measureSandbox(options: SandboxBenchOptions, scope: Scope): Promise<SandboxFigures> {
  const { objects, watchers, changes, rounds, real, bundle } = options;
  await using sandbox = await startSandboxProcess(bundle);
  using ourClient = new BenchClient(sandbox);
  using realClient = new BenchClient(real);
  const sides: Sides = {
    ours: { client: ourClient, pid: sandbox.pid },
    real: { client: realClient, pid: real.apiServerPid() },
  };
  const body = JSON.stringify({ metadata: { name: namespace } });
  for (const { client } of [sides.ours, sides.real]) {
    await client.call({ method: "POST", path: "/api/v1/namespaces", body });
  }
  const perSecond = (side: Side) =>
    figureOf(
      side,
      (client) => createAll(client, objects),
      (ms) => (objects * 1000) / ms,
    );
  const create = comparison({ ours: [await perSecond(sides.ours)], real: [await perSecond(sides.real)] }, "most");
  scope.signal.throwIfAborted();
  const list = await inTurns(sides, rounds, (side) => figureOf(side, (client) => readAll(client, objects)));
  scope.signal.throwIfAborted();
  let round = 0;
  const fanOut = await inTurns(sides, rounds, (side) => {
    round++;
    return figureOf(side, (client) => tellAll(client, { watchers, changes, round }));
  });
  return { objects, watchers, create, list, fanOut, peakMb: peakMbOf(sandbox.pid) };
}

/** About 1.3 KB once stored, as a typical object has. */
const configMap = (index: number) =>
  JSON.stringify({
    metadata: { name: `object-${String(index).padStart(6, "0")}`, labels: { app: `app-${index % 50}`, tier: "web" } },
    data: { text: "x".repeat(900), index: String(index) },
  });

async function createAll(client: BenchClient, objects: number): Promise<void> {
  const indexes = Array(objects).keys();
  const worker = async (slot: number) => {
    for (const index of indexes) await client.call({ method: "POST", path: configMaps, body: configMap(index) }, slot);
  };
  await Promise.all(Array.from({ length: inFlight }, (_, slot) => worker(slot)));
}

async function readAll(client: BenchClient, objects: number): Promise<void> {
  const bytes = await client.call({ method: "GET", path: configMaps });
  if (bytes < objects * 1000) throw new Error(`a list of ${objects} objects had ${bytes} bytes`);
}

/** Opens watches, makes changes in small groups, and waits until everybody has heard of everything. */
async function tellAll(
  client: BenchClient,
  { watchers, changes, round }: { watchers: number; changes: number; round: number },
): Promise<void> {
  const path = `${secrets}?watch=true&labelSelector=${encodeURIComponent(`round=${round}`)}`;
  const heard = Array.from({ length: watchers }, () => client.watch(path, changes));
  await Promise.all(heard.map(({ opened }) => opened));
  const secret = (index: number) => ({
    metadata: { name: `secret-${round}-${index}`, labels: { round: String(round) } },
    stringData: { text: "y".repeat(900) },
  });
  const indexes = Array(changes).keys();
  const worker = async (slot: number) => {
    for (const index of indexes) {
      await client.call({ method: "POST", path: secrets, body: JSON.stringify(secret(index)) }, slot);
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, slot) => worker(slot)));
  await Promise.all(heard.map(({ ended }) => ended));
}

async function figureOf(
  { client, pid }: Side,
  work: (client: BenchClient) => Promise<void>,
  figure: (ms: number) => number = (ms) => ms,
): Promise<Figure> {
  const [startMs, startCpu] = [systemClock.monotonicMs(), cpuSecondsOf(pid)];
  await work(client);
  return { value: figure(systemClock.monotonicMs() - startMs), cpuSeconds: cpuSecondsOf(pid) - startCpu };
}

/** Each side goes first in every other round; the first round of both warms up. */
async function inTurns(
  sides: Sides,
  rounds: number,
  measure: (side: Side) => Promise<Figure>,
): Promise<SandboxComparison> {
  const figures = { ours: [] as Figure[], real: [] as Figure[] };
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? (["real", "ours"] as const) : (["ours", "real"] as const)) {
      const figure = await measure(sides[name]);
      if (round > 0) figures[name].push(figure);
    }
  }
  return comparison(figures, "least");
}

function comparison(
  figures: Readonly<Record<"ours" | "real", readonly Figure[]>>,
  best: "most" | "least",
): SandboxComparison {
  const pick = best === "most" ? Math.max : Math.min;
  const bestOf = (list: readonly Figure[]) => pick(...list.map(({ value }) => value));
  const cpuOf = (list: readonly Figure[]) => Math.min(...list.map(({ cpuSeconds }) => cpuSeconds));
  const [ours, real] = [bestOf(figures.ours), bestOf(figures.real)];
  const ratio = best === "most" ? ours / real : real / ours;
  return { ours, real, ratio, oursCpuSeconds: cpuOf(figures.ours), realCpuSeconds: cpuOf(figures.real) };
}

// Linux counts a process's time in hundredths of a second.
const ticksPerSecond = 100;

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function peakMbOf(pid: number): number {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(peak?.[1] ?? Number.NaN) / 1024;
}
