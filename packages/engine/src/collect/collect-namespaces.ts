import { AppError, type Scope } from "@jibe/base";
import { bodyFromBytes } from "../item/item-body.ts";
import { record } from "../policies/volume-facts.ts";
import type { Cluster, Discovery, ListedItem, ResourceType } from "../ports/cluster.ts";
import type { IncludesExcludes } from "../select/includes-excludes.ts";
import type { NamespaceFacts } from "./namespace-tracker.ts";
import type { Extent, Spool } from "./spool.ts";

/** A namespace as it was listed; its body lies in the spool. */
export interface ListedNamespace extends NamespaceFacts, Extent {
  readonly deletionTimestamp?: string;
}

/** Lists all namespaces. Without them no backup can be made, so a failure is the run's. */
export async function listNamespaces(
  { cluster, discovery, spool, pageSize }: { cluster: Cluster; discovery: Discovery; spool: Spool; pageSize: number },
  scope: Scope,
): Promise<ListedNamespace[]> {
  const namespaces: ListedNamespace[] = [];
  const type: ResourceType | undefined = discovery.find("namespaces");
  if (!type) throw new AppError("Unavailable", "the cluster does not serve namespaces");
  for await (const page of cluster.listPages(type, { limit: pageSize }, scope)) {
    const extents = await spool.add(
      page.map(({ bytes }) => bytes),
      scope,
    );
    page.forEach((item, index) => {
      const { offset, length } = extents[index] ?? { offset: 0, length: 0 };
      namespaces.push({ ...factsOf(item), offset, length });
    });
  }
  return namespaces;
}

function factsOf({ name, labels, bytes, deletionTimestamp }: ListedItem) {
  const { phase } = record(bodyFromBytes(bytes).object["status"]);
  return {
    name,
    labels,
    active: phase === "Active",
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
}

/** The names in `includedNamespaces` that no namespace has. */
export function missingNamespaces(filter: IncludesExcludes, existing: readonly NamespaceFacts[]): string[] {
  const names = new Set(existing.map(({ name }) => name));
  return filter.includes.filter((name) => name !== "*" && !names.has(name));
}
