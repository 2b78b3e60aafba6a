import { gunzipSync } from "node:zlib";
import { silentLogger } from "@jibe/base";
import { openArchive } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { memoryScratch } from "../../packages/engine/test/memory-scratch.ts";
import type { MemoryStore } from "../../packages/engine/test/memory-store.ts";

export interface LedgerLine {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly outcome?: string;
}

export interface StoredOperation {
  readonly spec: { readonly resourceIdentifier: { Resource: string; Namespace: string; Name: string } };
  readonly status: { readonly phase: string };
}

export interface StoredSnapshot {
  readonly spec: { readonly persistentVolumeName: string };
  readonly status: { readonly providerSnapshotID?: string; readonly phase: string };
}

/** What an archive holds, by place. */
export type Archived = ReadonlyMap<string, KubernetesObject>;

export async function archivedItems(store: MemoryStore, key: string): Promise<Archived> {
  if (!store.objects.has(key)) return new Map();
  const scope = { signal: new AbortController().signal, log: silentLogger };
  await using archive = await openArchive(store.get(key, scope), { scratch: memoryScratch() }, scope);
  const found = new Map<string, KubernetesObject>();
  for (const groupResource of archive.groupResources()) {
    for (const namespace of archive.namespaces(groupResource)) {
      for (const name of archive.names(groupResource, namespace)) {
        const { object } = await archive.read({ groupResource, namespace, name }, scope);
        found.set(placeOf({ resource: groupResource, namespace, name }), object);
      }
    }
  }
  return found;
}

export function placeOf({ resource, namespace, name }: LedgerLine): string {
  return `${resource} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}

export function ledgerOf(store: MemoryStore, key: string): LedgerLine[] {
  const bytes = store.objects.get(key);
  if (!bytes) return [];
  const lines = gunzipSync(bytes).toString().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LedgerLine).filter(({ outcome }) => outcome !== undefined);
}

export function jsonOf<T>(store: MemoryStore, key: string): T | undefined {
  const bytes = store.objects.get(key);
  return bytes && (JSON.parse(gunzipSync(bytes).toString()) as T);
}

/** The entries of a file that is a list, or `null`, or not there. */
export function listOf<T>(store: MemoryStore, key: string): readonly T[] {
  return jsonOf<readonly T[] | null>(store, key) ?? [];
}
