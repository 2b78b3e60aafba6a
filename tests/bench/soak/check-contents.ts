import { readdir } from "node:fs/promises";
import type { Scope } from "@jibe/base";
import type { ResourceRef } from "@jibe/kube";
import { coreTypes, veleroTypes } from "../../../packages/jibe/src/api/index.ts";
import { type SoakWorld, serviceType } from "./soak-world.ts";

/** What runs were made: the store and the cluster must hold their traces and nothing else. */
export interface MadeRuns {
  readonly backups: readonly string[];
  readonly restores: readonly string[];
  /** Namespaces that restores made. */
  readonly copies: readonly string[];
}

const backupFiles = (name: string) =>
  [
    "velero-backup.json",
    `${name}.tar.gz`,
    `${name}-logs.gz`,
    `${name}-results.gz`,
    `${name}-resource-list.json.gz`,
    `${name}-podvolumebackups.json.gz`,
    `${name}-volumesnapshots.json.gz`,
    `${name}-volumeinfo.json.gz`,
    `${name}-itemoperations.json.gz`,
    `${name}-ledger.jsonl.gz`,
  ].map((file) => `backups/${name}/${file}`);

const restoreFiles = (name: string) =>
  [
    `restore-${name}-logs.gz`,
    `restore-${name}-results.gz`,
    `restore-${name}-resource-list.json.gz`,
    `restore-${name}-itemoperations.json.gz`,
    `restore-${name}-ledger.jsonl.gz`,
    `${name}-volumeinfo.json.gz`,
  ].map((file) => `restores/${name}/${file}`);

const copied: readonly (readonly [ResourceRef, string])[] = [
  [coreTypes.configMap, "settings"],
  [coreTypes.secret, "key"],
  [serviceType, "web"],
];

/** Requests that the server has to clear away once they are answered. */
const passing = ["deleteBackupRequest", "serverStatusRequest", "downloadRequest"] as const;

/** Says in sentences what the store and the cluster hold and should not, or should and do not. */
export async function checkContents(world: SoakWorld, runs: MadeRuns, scope: Scope): Promise<string[]> {
  const { client, bucket, scratch } = world;
  const wantedFiles = [...runs.backups.flatMap(backupFiles), ...runs.restores.flatMap(restoreFiles)];
  const faults = differences("store", wantedFiles, await filesIn(bucket));
  faults.push(...differences("scratch folder", [], await filesIn(scratch)));
  const names = async (type: ResourceRef) =>
    (await client.list(type, { namespace: "velero" }, scope)).items.map(({ metadata }) => metadata.name);
  faults.push(...differences("backups", runs.backups, await names(veleroTypes.backup)));
  faults.push(...differences("restores", runs.restores, await names(veleroTypes.restore)));
  for (const kind of passing) faults.push(...differences(kind, [], await names(veleroTypes[kind])));
  for (const [type, name] of copied) {
    const { items } = await client.list(type, {}, scope);
    const found = items
      .filter(({ metadata }) => metadata.namespace?.startsWith("copy-") && metadata.name !== "kube-root-ca.crt")
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const wanted = runs.copies.map((namespace) => `${namespace}/${name}`);
    faults.push(...differences(type.resource, wanted, found));
  }
  return faults;
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(dir.length + 1));
}

function differences(what: string, wanted: readonly string[], found: readonly string[]): string[] {
  const missing = [...new Set(wanted).difference(new Set(found))];
  const extra = [...new Set(found).difference(new Set(wanted))];
  const some = (names: readonly string[]) => names.slice(0, 3).join(", ");
  return [
    ...(missing.length > 0 ? [`${what}: ${missing.length} missing, such as ${some(missing)}`] : []),
    ...(extra.length > 0 ? [`${what}: ${extra.length} too many, such as ${some(extra)}`] : []),
  ];
}
