import type { Scope } from "@jibe/base";
import { backupNamespaceFilter, type Cluster } from "@jibe/engine";
import { coreTypes, veleroTypes } from "../../api/resource-types.ts";
import type { Backup } from "../../api/resources.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";
import { decideQueue, isUnfinished } from "./decide-queue.ts";

/** Puts new backups in line and lets them start when there is room and nothing they share is at work. */
export function backupQueueController({
  backups,
  cluster,
  concurrentBackups,
}: {
  readonly backups: Resources<Backup>;
  readonly cluster: Cluster;
  readonly concurrentBackups: number;
}): Controller {
  return {
    name: "backup-queue",
    type: veleroTypes.backup,
    resyncMs: 60_000,
    reconcile: async (_name, scope) => {
      const all = await backups.list({}, scope);
      const isAlone = all.filter(isUnfinished).length < 2; // and shares its namespaces with nobody
      const existing = isAlone ? [] : await namespaceNames(cluster, scope);
      const namespacesOf = (backup: Backup) => new Set(namespacesTouched(backup, existing));
      for (const { name, phase, queuePosition } of decideQueue({ backups: all, concurrentBackups, namespacesOf })) {
        const read = all.find(({ metadata }) => metadata.name === name);
        if (read)
          await backups.patchUnchanged(read, { status: { phase, queuePosition: queuePosition || null } }, scope);
      }
      return done;
    },
  };
}

function namespacesTouched({ spec }: Backup, existing: readonly string[]): string[] {
  const { includedNamespaces, excludedNamespaces } = spec;
  const filter = backupNamespaceFilter(
    {
      ...(includedNamespaces ? { includes: includedNamespaces } : {}),
      ...(excludedNamespaces ? { excludes: excludedNamespaces } : {}),
    },
    existing,
  );
  return existing.filter((namespace) => filter.shouldInclude(namespace));
}

async function namespaceNames(cluster: Cluster, scope: Scope): Promise<string[]> {
  const names: string[] = [];
  for await (const page of cluster.listPages(coreTypes.namespace, {}, scope))
    names.push(...page.map(({ name }) => name));
  return names;
}
