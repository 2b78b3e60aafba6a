import { AppError, messageOf, type Scope } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { type ClusterAccess, openClusterAccess } from "../cluster-access.ts";
import { type Command, command } from "../command.ts";
import { isConfirmed } from "../confirm.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";

export const deleteFlags = {
  all: flag.boolean("Delete all of them"),
  selector: flag.string("Delete those that match this label selector", "", { short: "l" }),
  confirm: flag.boolean("Delete without asking"),
} as const;

/** `delete` of one kind: names, `--all` or a selector; asks first unless told not to. */
export function deleteCommand<T extends KubernetesObject>(kind: {
  readonly noun: string;
  readonly what: string;
  readonly type: ResourceType;
  /** Deletes one and gives the line that tells what happened. */
  readonly remove: (object: T, access: ClusterAccess, scope: Scope) => Promise<string>;
}): Command<typeof deleteFlags> {
  return command({
    usage: `${kind.noun} delete [NAME…]`,
    summary: `Delete ${kind.what}`,
    flags: deleteFlags,
    async run({ args, flags }, world, scope) {
      const ways = Number(args.length > 0) + Number(flags.all) + Number(flags.selector !== "");
      if (ways !== 1) {
        throw new AppError(
          "InvalidArgument",
          `say which ${kind.what} to delete: names, --all, or --selector, one of them`,
        );
      }
      await using access = await openClusterAccess(flags, world, scope);
      const { found, errors } = await choose<T>(kind.type, args, flags.selector, access, scope);
      if (found.length === 0 && errors.length === 0) {
        world.out.line(`No ${kind.what} found`);
        return exitCode.ok;
      }
      if (found.length > 0 && !flags.confirm && !(await isConfirmed(aboutTo(found, kind.what), world)))
        return exitCode.ok;
      for (const object of found) {
        try {
          world.out.line(await kind.remove(object, access, scope));
        } catch (error) {
          scope.signal.throwIfAborted();
          errors.push(messageOf(error));
        }
      }
      if (errors.length > 0) throw new AppError("Internal", errors.join("; "));
      return exitCode.ok;
    },
  });
}

async function choose<T extends KubernetesObject>(
  type: ResourceType,
  names: readonly string[],
  selector: string,
  access: ClusterAccess,
  scope: Scope,
): Promise<{ found: T[]; errors: string[] }> {
  if (names.length === 0) return { found: await access.list<T>(type, selector, scope), errors: [] };
  const found: T[] = [];
  const errors: string[] = [];
  for (const name of names) {
    try {
      found.push(await access.get<T>(type, name, scope));
    } catch (error) {
      scope.signal.throwIfAborted();
      errors.push(messageOf(error));
    }
  }
  return { found, errors };
}

function aboutTo(objects: readonly KubernetesObject[], what: string): string {
  return `About to delete ${what}: ${objects.map(({ metadata }) => metadata.name).join(", ")}`;
}
