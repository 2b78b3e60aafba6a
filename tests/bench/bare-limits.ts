import { forEachConcurrent, type Scope, systemClock } from "@jibe/base";
import type { ResourceRef } from "@jibe/kube";
import { openBareClient } from "../../packages/kube/bench/bare-client.ts";
import { objectMakers } from "../../packages/kube/bench/mixed-objects.ts";
import type { RealCluster } from "./bench-cluster.ts";
import { createNamespaces, type ItemPlan, itemNamespaces, plannedItems, warmUpNamespace } from "./cluster-items.ts";
import type { RunFigures } from "./measure-run.ts";
import { usageOf } from "./process-usage.ts";

const concurrencies = [8, 16, 32, 64];
const trialItems = 400;

/** What reading the same objects takes a program that does nothing with them: all types at once, page by page. */
export async function measureBareList({ kubernetes }: RealCluster): Promise<RunFigures> {
  await using bare = openBareClient(kubernetes);
  let items = 0;
  const readAll = async () => {
    const lists = await Promise.all(objectMakers.map(({ type }) => bare.readList(pathOf(type))));
    items = lists.reduce((sum, list) => sum + list.items, 0);
  };
  const figures = await measured(readAll);
  return { ...figures, items };
}

/** What making the same objects takes a program that has them at hand, with the number of calls at once that suits the server best. */
export async function measureBareCreates(cluster: RealCluster, plan: ItemPlan, scope: Scope): Promise<RunFigures> {
  await using bare = openBareClient(cluster.kubernetes);
  await createNamespaces(cluster.client, [warmUpNamespace], scope);
  const post = (bodies: Iterable<readonly [string, Buffer]>, limit: number) =>
    forEachConcurrent(bodies, { limit, each: ([path, body]) => bare.post(path, body) }, scope);
  const trials = [];
  for (const limit of concurrencies) {
    const bodies = [...bodiesOf({ count: trialItems }, `trial-${limit}-`, warmUpNamespace)];
    trials.push({ limit, ...(await measured(() => post(bodies, limit))) });
  }
  const best = trials.reduce((one, other) => (other.seconds < one.seconds ? other : one));
  const bodies = [...bodiesOf(plan)];
  const figures = await measured(async () => {
    await createNamespaces(cluster.client, itemNamespaces(plan.count), scope);
    await post(bodies, best.limit);
  });
  return { ...figures, items: plan.count, phase: `${best.limit} at once` };
}

function* bodiesOf(plan: ItemPlan, prefix = "", inNamespace?: string): Generator<readonly [string, Buffer]> {
  for (const { type, namespace, object } of plannedItems(plan)) {
    const place = inNamespace ?? namespace;
    const metadata = { ...object.metadata, name: `${prefix}${object.metadata.name}`, namespace: place };
    yield [pathOf(type, place), Buffer.from(JSON.stringify({ ...object, metadata }))];
  }
}

async function measured(work: () => Promise<void>): Promise<RunFigures> {
  const before = process.cpuUsage();
  const began = systemClock.monotonicMs();
  await work();
  const seconds = (systemClock.monotonicMs() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  const { peakMb } = await usageOf(process.pid);
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMb, items: 0, phase: "" };
}

function pathOf({ group, version, resource }: ResourceRef, namespace?: string): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace ? `${root}/namespaces/${namespace}/${resource}` : `${root}/${resource}`;
}
