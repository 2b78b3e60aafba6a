import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, hasCode, type Scope } from "@jibe/base";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, BackupStorageLocation, Restore } from "../../api/resources.ts";
import type { ClusterAccess } from "../cluster-access.ts";
import { type CliWorld, command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { shopKinds, shopNamespace, shopObjects } from "./shop.ts";
import { createStory, type Story } from "./story.ts";
import { createObject, prepareCluster, type QuickWorld, serverNamespace, startCluster, startServer } from "./world.ts";

const copyNamespace = "shop-restored";
const orders = "order 1: one brass compass\norder 2: forty fathoms of rope\n";
const stepLimitMs = 60_000;

export const quickstart = command({
  usage: "quickstart",
  summary: "See a backup and a restore on an embedded cluster, in under a minute",
  description:
    "Start an embedded cluster and a server on this machine, back up a small shop, destroy it, restore it under another name, and prove that everything is back.",
  flags: { keep: flag.boolean("Leave it all running to play with, until Ctrl-C") },
  async run({ flags }, world, scope) {
    const story = createStory(world.out, world.clock);
    const stopping = new AbortController();
    const inner: Scope = { log: scope.log, signal: AbortSignal.any([scope.signal, stopping.signal]) };
    story.chapter("A cluster and a server, on this machine alone");
    await using quick = await story.step("started an embedded Kubernetes API server with simulated workloads", () =>
      startCluster(world, scope),
    );
    await story.step("created the resource definitions, a store and a place for snapshots", () =>
      prepareCluster(quick, inner),
    );
    const { ended } = await story.step("started the jibe server with one plugin", () =>
      startServer(quick, world, inner),
    );
    try {
      await tell(quick, world, story, inner);
      story.line();
      story.paragraph(
        "That is all: the same resources, archive and plugins as Velero's, so either side can be swapped.",
      );
      if (flags.keep) await keep(quick, story, inner);
      else
        story.paragraph(
          "Next: `npx jibe quickstart --keep` to play with it, `npx jibe --help`, and the user's guide in docs/guide.",
        );
      return exitCode.ok;
    } catch (error) {
      if (!scope.signal.aborted)
        world.out.note(`\nThe last lines of the server's log:\n${await lastLines(quick.logFile)}`);
      throw error;
    } finally {
      stopping.abort(new Error("the quickstart is over"));
      await ended.catch(() => {}); // it was stopped; its log tells of anything else
    }
  },
});

async function lastLines(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-15).join("\n");
}

async function tell(quick: QuickWorld, world: CliWorld, story: Story, scope: Scope): Promise<void> {
  const { access } = quick;
  const until = <T>(what: string, look: () => Promise<T | undefined>) => untilSeen({ what, look, world }, scope);

  story.chapter("A small shop with a database on a real volume");
  for (const object of shopObjects()) await createObject(object, access, scope);
  const volume = await story.step("deployed it; its pods run and its claim is bound", () =>
    until("the shop's volume", () => volumeFolder(access, shopNamespace, scope)),
  );
  await until("the shop's pods", async () =>
    (await countOf(access, "pods", shopNamespace, scope)) >= 4 ? true : undefined,
  );
  await writeFile(join(volume, "orders.txt"), orders);
  const before = await countAll(access, shopNamespace, scope);
  story.fact(`${summary(before)}; two orders written to the volume`);

  story.chapter("Back it up");
  await until("the backup location", async () => {
    const location = await access.get<BackupStorageLocation>(veleroTypes.backupStorageLocation, "default", scope);
    return location.status?.phase === "Available" ? true : undefined;
  });
  const backup = await backUp(quick, world, scope);
  const { status = {} } = backup;
  story.fact(
    `${status.progress?.itemsBackedUp} items, ${status.backupItemOperationsCompleted} operations in the background: the plugin's database export and a volume snapshot`,
  );

  story.chapter("Lose everything");
  await story.step("deleted the namespace with everything in it", async () => {
    const namespaces = { group: "", version: "v1", resource: "namespaces", kind: "Namespace", namespaced: false };
    await access.client.delete(namespaces, { name: shopNamespace }, scope);
    await until("the end of the namespace", async () =>
      access.client.get(namespaces, { name: shopNamespace }, scope).then(
        () => undefined,
        (error: unknown) => (hasCode(error, "NotFound") ? true : Promise.reject(error)),
      ),
    );
  });

  story.chapter("Restore it under another name");
  const restore = await restoreShop(quick, world, scope);
  story.fact(
    `${restore.status?.progress?.itemsRestored} items; the front end waited until its settings were ready, as the plugin asked`,
  );

  story.chapter("Look");
  await story.step("every object and every byte is back", async () => {
    const restored = await until("the restored volume", () => volumeFolder(access, copyNamespace, scope));
    const found = await until("the restored orders", () =>
      readFile(join(restored, "orders.txt"), "utf8").catch(() => undefined),
    );
    if (found !== orders) throw new AppError("DataLoss", `the restored orders differ: ${JSON.stringify(found)}`);
    await until("the restored pods", async () => {
      const now = await countAll(access, copyNamespace, scope);
      return JSON.stringify(now) === JSON.stringify(before) ? now : undefined;
    });
  });
  story.fact(`${summary(before)}; both orders are on the new volume`);
}

async function keep({ kubeconfig, logFile }: QuickWorld, story: Story, scope: Scope): Promise<void> {
  story.line(`\nEverything stays until Ctrl-C. In another terminal:

  export KUBECONFIG=${kubeconfig}
  npx jibe backup describe shop --details
  npx jibe restore logs shop-restored
  npx jibe backup create again --include-namespaces ${copyNamespace} --wait
  kubectl get all -n ${copyNamespace}

The server's log: ${logFile}`);
  await new Promise<void>((resolve) => scope.signal.addEventListener("abort", () => resolve(), { once: true }));
}

async function backUp({ access }: QuickWorld, world: CliWorld, scope: Scope): Promise<Backup> {
  await access.create(
    veleroTypes.backup,
    {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name: "shop", namespace: serverNamespace },
      spec: { includedNamespaces: [shopNamespace] },
    },
    scope,
  );
  await ended("backup", "shop", access, world, scope);
  return access.get<Backup>(veleroTypes.backup, "shop", scope);
}

async function restoreShop({ access }: QuickWorld, world: CliWorld, scope: Scope): Promise<Restore> {
  await access.create(
    veleroTypes.restore,
    {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: copyNamespace, namespace: serverNamespace },
      spec: { backupName: "shop", namespaceMapping: { [shopNamespace]: copyNamespace } },
    },
    scope,
  );
  await ended("restore", copyNamespace, access, world, scope);
  return access.get<Restore>(veleroTypes.restore, copyNamespace, scope);
}

async function ended(
  kind: "backup" | "restore",
  name: string,
  access: ClusterAccess,
  world: CliWorld,
  scope: Scope,
): Promise<void> {
  const flags = { quiet: false, veleroExitCodes: false };
  const { waitForEnd } = await import("../wait/wait-for-end.ts");
  const code = await waitForEnd({ kind, name }, { access, world, flags, brief: true }, scope);
  if (code !== exitCode.ok) throw new AppError("Internal", `the ${kind} did not complete`);
}

/** The folder behind the only claim of a namespace, once it is bound. */
async function volumeFolder({ client }: ClusterAccess, namespace: string, scope: Scope): Promise<string | undefined> {
  const claims = {
    group: "",
    version: "v1",
    resource: "persistentvolumeclaims",
    kind: "PersistentVolumeClaim",
    namespaced: true,
  };
  const volumes = {
    group: "",
    version: "v1",
    resource: "persistentvolumes",
    kind: "PersistentVolume",
    namespaced: false,
  };
  interface Claim {
    readonly spec: { readonly volumeName?: string };
    readonly status?: { readonly phase?: string };
  }
  interface Volume {
    readonly spec: { readonly local?: { readonly path?: string }; readonly hostPath?: { readonly path?: string } };
  }
  const { items } = await client.list(claims, { namespace }, scope);
  const [claim] = items as unknown as Claim[];
  if (claim?.status?.phase !== "Bound" || !claim.spec.volumeName) return undefined;
  const { spec } = (await client.get(volumes, { name: claim.spec.volumeName }, scope)) as unknown as Volume;
  return spec.local?.path ?? spec.hostPath?.path;
}

async function countOf({ client }: ClusterAccess, resource: string, namespace: string, scope: Scope): Promise<number> {
  const type = (await client.discover(scope)).find(resource);
  if (!type) return 0;
  return (await client.list(type, { namespace }, scope)).items.length;
}

async function countAll(access: ClusterAccess, namespace: string, scope: Scope): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, resource } of shopKinds) counts[name] = await countOf(access, resource, namespace, scope);
  return counts;
}

function summary(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${count === 1 ? name.replace(/s$/, "") : name}`)
    .join(", ");
}

async function untilSeen<T>(
  {
    what,
    look,
    world,
  }: { readonly what: string; readonly look: () => Promise<T | undefined>; readonly world: CliWorld },
  scope: Scope,
): Promise<T> {
  const deadline = world.clock.monotonicMs() + stepLimitMs;
  while (world.clock.monotonicMs() < deadline) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await world.clock.sleep(100, scope);
  }
  throw new AppError("DeadlineExceeded", `waited ${stepLimitMs / 1000} s for ${what}`);
}
