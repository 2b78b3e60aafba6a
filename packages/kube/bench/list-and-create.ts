import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { forEachConcurrent, hasCode, type Scope, systemClock } from "@jibe/base";
import { connectCluster, type KubeClient, type ResourceRef } from "../src/index.ts";
import { type BareClient, openBareClient, type ServerAddress } from "./bare-client.ts";
import { objectMakers } from "./mixed-objects.ts";

export interface KubeBenchOptions extends ServerAddress {
  /** The same server, for the client under test. */
  readonly kubeconfig: string;
  /** How many objects are listed. */
  readonly items: number;
  /** How many objects each side creates for the comparison of creates. */
  readonly creates: number;
  readonly concurrency: number;
  readonly rounds: number;
  /** Bundles a TypeScript program into one JavaScript file, so that memory is measured as users have it. */
  readonly bundle: (entry: string, outfile: string) => Promise<void>;
}

/** Ours against the yardstick. */
export interface KubeBenchResult {
  /** CPU time; the limit is 1.3. */
  readonly list: { readonly items: number; readonly bytes: number } & Comparison;
  /** Objects per second; the limit is 0.9. */
  readonly create: Comparison;
  /** Peak of a process that only lists; the limit is 150. */
  readonly listPeakMb: number;
}

interface Comparison {
  /** The best round of each side, and their ratio. */
  readonly ours: number;
  readonly bare: number;
  readonly ratio: number;
  /** The ratio of the medians: what the choice of the best round could hide. */
  readonly medianRatio: number;
  readonly rounds: Rounds;
}

type Rounds = Readonly<Record<"ours" | "bare", readonly number[]>>;

const namespace = "kube-bench";

/** Fills a cluster with mixed objects and measures the client against bare undici, in turns. */
export async function benchKube(options: KubeBenchOptions, scope: Scope): Promise<KubeBenchResult> {
  await using client = await connectCluster({ kubeconfig: options.kubeconfig, env: {} }, scope);
  await using bare = openBareClient(options);
  const namespaces: ResourceRef = {
    group: "",
    version: "v1",
    resource: "namespaces",
    kind: "Namespace",
    namespaced: false,
  };
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await client.createRaw(namespaces, { object }, scope).catch(unlessThere);
  await fill(client, options, scope);
  return {
    list: await compareLists(client, bare, options.rounds, scope),
    create: await compareCreates(client, bare, options, scope),
    listPeakMb: await listPeakMb(options),
  };
}

async function fill(client: KubeClient, { items, concurrency }: KubeBenchOptions, scope: Scope): Promise<void> {
  const each = async (index: number, inner: Scope) => {
    const maker = objectMakers[index % objectMakers.length];
    if (!maker) return;
    const object = maker.make(`item-${index}`, namespace);
    await client.createRaw(maker.type, { namespace, object }, inner).catch(unlessThere);
  };
  await forEachConcurrent(Array(items).keys(), { limit: concurrency, each }, scope);
}

async function compareLists(client: KubeClient, bare: BareClient, rounds: number, scope: Scope) {
  const counted = { items: 0, bytes: 0 };
  const readBare = async () => {
    Object.assign(counted, { items: 0, bytes: 0 });
    for (const { type } of objectMakers) {
      const read = await bare.readList(pathOf(type));
      counted.bytes += read.bytes;
      counted.items += read.items;
    }
  };
  const results = await inTurns(rounds, {
    ours: () => cpuMs(() => readWithClient(client, scope)),
    bare: () => cpuMs(readBare),
  });
  return { ...counted, ...comparison(results, Math.min) };
}

/** What collecting a backup looks at: every item's bytes, name, namespace and labels. */
async function readWithClient(client: KubeClient, scope: Scope): Promise<void> {
  for (const { type } of objectMakers) {
    for await (const { items } of client.listPages(type, {}, scope)) {
      for (const { bytes, name, namespace: place, labels } of items) {
        if (bytes.length === 0 || name === "" || place === undefined || labels === undefined)
          throw new Error("no item");
      }
    }
  }
}

async function compareCreates(
  client: KubeClient,
  bare: BareClient,
  { creates, concurrency, rounds }: KubeBenchOptions,
  scope: Scope,
): Promise<Comparison> {
  const [maker] = objectMakers;
  if (!maker) throw new Error("there is nothing to create");
  const { type } = maker;
  const perSecond = async (create: (body: Buffer, inner: Scope) => Promise<unknown>) => {
    const run = randomUUID();
    const bodies = Array.from({ length: creates }, (_, index) =>
      Buffer.from(JSON.stringify(maker.make(`${run}-${index}`, namespace))),
    );
    const each = async (body: Buffer, inner: Scope) => void (await create(body, inner));
    return (creates * 1000) / (await wallMs(() => forEachConcurrent(bodies, { limit: concurrency, each }, scope)));
  };
  const results = await inTurns(rounds, {
    ours: () => perSecond((object, inner) => client.createRaw(type, { namespace, object }, inner)),
    bare: () => perSecond((body) => bare.post(pathOf(type, namespace), body)),
  });
  return comparison(results, Math.max);
}

/**
 * Runs both sides in turns, each going first in every other round, after one round to warm up. The best round of a side
 * counts: what makes a round worse is other work on the machine.
 */
async function inTurns(rounds: number, sides: Record<"ours" | "bare", () => Promise<number>>) {
  const results = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const side of round % 2 === 0 ? (["bare", "ours"] as const) : (["ours", "bare"] as const)) {
      const result = await sides[side]();
      if (round > 0) results[side].push(result);
    }
  }
  return results;
}

/** The peak memory of a fresh process that lists everything as a stream; built, as users run it. */
async function listPeakMb({ kubeconfig, bundle }: KubeBenchOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "kube-bench-"));
  try {
    const outfile = join(folder, "list-memory.mjs");
    await bundle(fileURLToPath(new URL("./list-memory.ts", import.meta.url)), outfile);
    return await peakOf(outfile, kubeconfig);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function peakOf(program: string, kubeconfig: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = fork(program, { execArgv: [] });
  child.once("message", (message) => resolve(Number(message)));
  child.once("error", reject);
  child.once("exit", (code) => reject(new Error(`the process that lists ended with ${code}`)));
  child.send({ kubeconfig });
  return promise;
}

function pathOf({ group, version, resource }: ResourceRef, inNamespace?: string): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return inNamespace ? `${root}/namespaces/${inNamespace}/${resource}` : `${root}/${resource}`;
}

/** A second run on the same cluster finds the objects of the first. */
function unlessThere(error: unknown): void {
  if (!hasCode(error, "AlreadyExists")) throw error;
}

async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function wallMs(work: () => Promise<void>): Promise<number> {
  const before = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - before;
}

function comparison(rounds: Rounds, best: (...values: number[]) => number): Comparison {
  const ours = best(...rounds.ours);
  const bare = best(...rounds.bare);
  return { ours, bare, ratio: ours / bare, medianRatio: median(rounds.ours) / median(rounds.bare), rounds };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
