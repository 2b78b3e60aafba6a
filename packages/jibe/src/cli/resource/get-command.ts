import { hasCode, type Scope } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { coreTypes } from "../../api/resource-types.ts";
import { type ClusterAccess, openClusterAccess } from "../cluster-access.ts";
import { type Command, command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { type Flags, type FlagValues, flag } from "../flags.ts";
import { labelColumnFlags, withLabelColumns } from "../print/label-columns.ts";
import { printObjects } from "../print/objects.ts";
import { formatTable, type TableView } from "../print/table.ts";

/** The flags of every command that prints objects. */
export const printFlags = {
  output: flag.choice("How to print", ["table", "json", "yaml"], "table", { short: "o" }),
  selector: flag.string("Only show items that match this label selector", "", { short: "l" }),
  ...labelColumnFlags,
} as const;

const byName = (a: KubernetesObject, b: KubernetesObject) => (a.metadata.name < b.metadata.name ? -1 : 1);

/** `get` of one kind: by names, by selector, or all. */
export function getCommand<T extends KubernetesObject, F extends Flags = Record<never, never>>(kind: {
  readonly noun: string;
  readonly what: string;
  readonly type: ResourceType;
  readonly view: TableView<T>;
  /** Flags of this kind alone, and which objects they leave. */
  readonly flags?: F;
  readonly keep?: (object: T, flags: FlagValues<F>) => boolean;
}): Command<typeof printFlags> {
  return command({
    usage: `${kind.noun} get [NAME…]`,
    summary: `List ${kind.what}`,
    flags: { ...printFlags, ...kind.flags },
    async run({ args, flags }, world, scope) {
      await using access = await openClusterAccess(flags, world, scope);
      const found =
        args.length > 0
          ? await inOrder(args, (name) => access.get<T>(kind.type, name, scope))
          : (await access.list<T>(kind.type, flags.selector, scope)).sort(kind.view.sort ?? byName);
      const objects = found.filter((object) => kind.keep?.(object, flags as unknown as FlagValues<F>) ?? true);
      const { out } = world;
      if (flags.output !== "table") {
        await printObjects(objects, flags.output, { listKind: `${kind.type.kind}List`, out });
        return exitCode.ok;
      }
      if (objects.length === 0) {
        out.note(await emptyText(kind.what, access, scope));
        return exitCode.ok;
      }
      const now = world.clock.now();
      const { header, row } = withLabelColumns(kind.view, flags);
      out.line(
        formatTable(
          header,
          objects.map((object) => row(object, now)),
        ),
      );
      return exitCode.ok;
    },
  });
}

/** Nothing found is right in an empty namespace; one that does not exist is probably not the one that was meant. */
async function emptyText(what: string, { client, namespace }: ClusterAccess, scope: Scope): Promise<string> {
  const none = `No ${what} found in namespace ${JSON.stringify(namespace)}.`;
  try {
    await client.get(coreTypes.namespace, { name: namespace }, scope);
  } catch (error) {
    if (hasCode(error, "NotFound")) return `${none} It does not exist: name the server's with --namespace.`;
  }
  return none;
}

async function inOrder<T>(names: readonly string[], get: (name: string) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const name of names) found.push(await get(name));
  return found;
}
