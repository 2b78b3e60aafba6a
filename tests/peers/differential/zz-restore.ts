import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { jsonEquals, silentLogger, systemClock } from "@jibe/base";
import { finalizeRestore, groupResourceOf, prepareRestore, runRestore } from "@jibe/engine";
import { connectCluster } from "@jibe/kube";
import { startKubernetes, startVelero } from "@jibe/testkit/peers";
import { memoryPlugins } from "../../../packages/engine/test/memory-plugins.ts";
import { memoryScratch } from "../../../packages/engine/test/memory-scratch.ts";
import { memoryStore } from "../../../packages/engine/test/memory-store.ts";
import { builtInActions } from "../../../packages/jibe/src/actions/index.ts";
import { kubeCluster } from "../../../packages/jibe/src/cluster/kube-cluster.ts";
import { startRichCluster } from "./rich-cluster.ts";
import { prepareWorld, runVelero } from "./servers.ts";
import { runToEnd, useStorage } from "./storage.ts";

const scope: any = { signal: new AbortController().signal, log: silentLogger };
const saved = "/tmp/zz-store";
const name = "b1";
if (!existsSync(saved)) {
  console.log("making the backup");
  await using source = await startRichCluster({ objects: [] }, scope);
  await using _v = await runVelero(await prepareWorld(source, "v", scope), scope);
  const root = join(source.dir, "store");
  await useStorage(source, root, scope);
  const backup = await runToEnd(
    source,
    { kind: "Backup", name, spec: { includeClusterResources: true, excludedNamespaces: ["velero"] } },
    scope,
  );
  console.log("backup", JSON.stringify((backup as any).status));
  cpSync(root, saved, { recursive: true });
}
const spec: any = JSON.parse(process.argv[2] ?? "{}");
const existing: any[] = process.argv[3] ? JSON.parse(readFileSync(process.argv[3], "utf8")) : [];
const backupObject = JSON.parse(readFileSync(join(saved, "bucket/backups", name, "velero-backup.json"), "utf8"));
const ignore = new Set([
  "leases.coordination.k8s.io",
  "events",
  "events.events.k8s.io",
  "backups.velero.io",
  "restores.velero.io",
  "backupstoragelocations.velero.io",
  "volumesnapshotlocations.velero.io",
  "endpoints",
  "endpointslices.discovery.k8s.io",
  "ipaddresses.networking.k8s.io",
  "serverstatusrequests.velero.io",
]);
async function dump(kubeconfig: string) {
  await using client = await connectCluster({ kubeconfig, env: {} }, scope);
  const cluster = kubeCluster(client);
  const out = new Map<string, any>();
  for (const type of (await cluster.discover(scope)).preferred()) {
    const gr = groupResourceOf(type);
    if (!type.verbs.includes("list") || ignore.has(gr)) continue;
    for await (const page of cluster.listPages(type, {}, scope))
      for (const item of page) {
        if (item.namespace === "velero" || item.name === "velero") continue;
        out.set(`${gr} ${item.namespace}/${item.name}`, JSON.parse(Buffer.from(item.bytes).toString()));
      }
  }
  return out;
}
const times = { velero: 0, jibe: 0 };
async function byVelero() {
  await using k = await startKubernetes({}, scope);
  if (existing.length) await k.apply(existing);
  const root = join(k.dir, "store");
  await using v = await runVelero(await prepareWorld(k, "v", scope), scope);
  await useStorage(k, root, scope);
  cpSync(saved, root, { recursive: true });
  const { resourceVersion, uid, creationTimestamp, managedFields, ...metadata } = backupObject.metadata;
  await k.kubectl(["create", "-f", "-"], JSON.stringify({ ...backupObject, metadata }));
  const t0 = performance.now();
  const restore: any = await runToEnd(k, { kind: "Restore", name: "r1", spec: { backupName: name, ...spec } }, scope);
  times.velero = performance.now() - t0;
  const file = (f: string) => {
    try {
      return JSON.parse(gunzipSync(readFileSync(join(root, "bucket/restores/r1", f))).toString());
    } catch (e) {
      return String(e);
    }
  };
  return {
    status: restore.status,
    objects: await dump(k.kubeconfig),
    results: file("restore-r1-results.gz"),
    list: file("restore-r1-resource-list.json.gz"),
  };
}
async function byJibe() {
  await using k = await startKubernetes({}, scope);
  const { installVelero } = await import("@jibe/testkit/peers");
  await installVelero({ kubernetes: k }, scope);
  if (existing.length) await k.apply(existing);
  await using client = await connectCluster({ kubeconfig: k.kubeconfig, env: {} }, scope);
  const cluster = kubeCluster(client);
  const store = memoryStore();
  const walk = (dir: string) => {
    for (const f of readdirSync(dir)) {
      const p = join(dir, f);
      if (statSync(p).isDirectory()) walk(p);
      else store.objects.set(relative(join(saved, "bucket"), p), readFileSync(p));
    }
  };
  walk(join(saved, "bucket"));
  const restore: any = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "r1", namespace: "velero", uid: "u1" },
    spec: { backupName: name, ...spec },
  };
  const prepared = prepareRestore(restore, {
    findBackup: () => backupObject,
    backupsOfSchedule: () => [],
    findLocation: () => ({ phase: "Available" }),
    findConfigMap: () => undefined,
    parseYaml: JSON.parse,
    defaultItemOperationTimeout: "4h0m0s",
  });
  if (prepared.validationErrors.length)
    return {
      status: { phase: "FailedValidation", validationErrors: prepared.validationErrors },
      objects: await dump(k.kubeconfig),
      results: {},
      list: {},
    };
  const actions = builtInActions({ cluster, namespace: "velero", features: [] });
  const t0 = performance.now();
  restore.spec = prepared.spec;
  restore.status = { startTimestamp: new Date().toISOString().slice(0, 19) + "Z" };
  const ports = {
    cluster,
    plugins: memoryPlugins({ restore: actions.restore, snapshotters: { test: (await import("../../../packages/engine/test/memory-plugins.ts")).snapshotter("test") } }),
    store,
    scratch: memoryScratch(),
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    patchStatus: async () => {},
    snapshotLocation: async () => {
      throw new Error("none");
    },
  };
  const result = await runRestore(
    { restore, backup: backupObject, settings: { resourceTimeoutMs: 5000 } },
    ports as any,
    scope,
  );
  restore.status = { ...restore.status, ...result.status };
  const final = await finalizeRestore(
    { restore, hooks: result.hooks, settings: { resourceTimeoutMs: 5000 } },
    ports as any,
    scope,
  );
  times.jibe = performance.now() - t0;
  const file = (f: string) => JSON.parse(gunzipSync(store.objects.get(`restores/r1/${f}`)!).toString());
  return {
    status: { ...restore.status, ...final },
    objects: await dump(k.kubeconfig),
    results: file("restore-r1-results.gz"),
    list: file("restore-r1-resource-list.json.gz"),
  };
}
const v = await byVelero();
const j = await byJibe();
console.log("times", times);
console.log("velero", JSON.stringify(v.status));
console.log("jibe  ", JSON.stringify(j.status));
const strip = (o: any) => {
  const c = structuredClone(o);
  const m = c.metadata;
  for (const k of ["uid", "resourceVersion", "creationTimestamp", "generation"]) delete m[k];
  for (const f of m.managedFields ?? []) delete f.time;
  return c;
};
function diff(a: any, b: any, path: string, out: string[]) {
  if (jsonEquals(a, b)) return;
  if (a && b && typeof a === "object" && typeof b === "object" && !Array.isArray(a)) {
    for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) diff(a[k], b[k], `${path}.${k}`, out);
    return;
  }
  out.push(`${path}: ${JSON.stringify(a)?.slice(0, 160)} | ${JSON.stringify(b)?.slice(0, 160)}`);
}
const keys = [...new Set([...v.objects.keys(), ...j.objects.keys()])].sort();
let same = 0;
const paths = new Map<string, string[]>();
for (const k of keys) {
  const [a, b] = [v.objects.get(k), j.objects.get(k)];
  if (!a || !b) {
    console.log(a ? "ONLY VELERO" : "ONLY JIBE", k);
    continue;
  }
  const out: string[] = [];
  diff(strip(a), strip(b), "", out);
  if (!out.length) same++;
  else
    for (const line of out) {
      const p = line.slice(0, line.indexOf(":"));
      paths.set(p, [...(paths.get(p) ?? []), `${k} ${line.slice(line.indexOf(":") + 2)}`]);
    }
}
console.log("same", same, "of", keys.length);
for (const [p, ks] of paths) console.log("DIFF", p, ks.length, ks.slice(0, 3).join("\n      "));
const out: string[] = [];
diff(v.list, j.list, "list", out);
console.log(out.join("\n") || "lists equal");

const flat = (r: any) => [
  ...(r.velero ?? []).map((m: string) => `velero: ${m}`),
  ...(r.cluster ?? []).map((m: string) => `cluster: ${m}`),
  ...Object.entries(r.namespaces ?? {}).flatMap(([n, ms]: any) => ms.map((m: string) => `${n}: ${m}`)),
];
for (const level of ["errors", "warnings"]) {
  const [a, b] = [flat(v.results[level] ?? {}), flat(j.results[level] ?? {})];
  const only = (x: string[], y: string[]) =>
    x
      .filter((m) => !y.includes(m))
      .filter(
        (m) =>
          process.argv[4] === "all" ||
          !/: (could not restore, )?(ClusterRole|ClusterRoleBinding|FlowSchema|PriorityLevel|Role|RoleBinding|IPAddress|PriorityClass)[A-Za-z]*:/.test(
            m,
          ),
      );
  console.log(level, "only velero", only(a, b).slice(0, 15), "only jibe", only(b, a).slice(0, 15));
}
