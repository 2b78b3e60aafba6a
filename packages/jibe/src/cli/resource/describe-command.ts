import { messageOf, type Scope } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { DownloadTargetKind } from "../../api/resources.ts";
import { type ClusterAccess, openClusterAccess } from "../cluster-access.ts";
import { type CliWorld, type Command, command } from "../command.ts";
import { downloadJson } from "../download/read-file.ts";
import { exitCode } from "../exit-code.ts";
import { type FlagValues, flag } from "../flags.ts";

export const describeFlags = {
  selector: flag.string("Describe those that match this label selector", "", { short: "l" }),
  details: flag.boolean("Show everything that is known"),
  insecureSkipTlsVerify: flag.boolean("Trust the store whatever certificate it shows"),
  cacert: flag.string("File with certificates to trust when fetching from the store", "", { placeholder: "path" }),
  output: flag.choice("How to print", ["plaintext", "json"], "plaintext", { short: "o" }),
} as const;

const fileTimeoutMs = 30_000;

/** What a describer may ask for besides the object itself. */
export interface DescribeContext {
  readonly access: ClusterAccess;
  readonly world: CliWorld;
  readonly flags: FlagValues<typeof describeFlags>;
  /** A file of the run; nothing, and a note to the reader, when it cannot be had. */
  file<T>(kind: DownloadTargetKind, name: string): Promise<T | undefined>;
}

/** `describe` of one kind: by names, by selector, or all. */
export function describeCommand<T extends KubernetesObject>(kind: {
  readonly noun: string;
  readonly what: string;
  readonly type: ResourceType;
  readonly text: (object: T, context: DescribeContext, scope: Scope) => Promise<string>;
  readonly json: (object: T, context: DescribeContext, scope: Scope) => Promise<unknown>;
}): Command<typeof describeFlags> {
  return command({
    usage: `${kind.noun} describe [NAME…]`,
    summary: `Tell all about ${kind.what}`,
    flags: describeFlags,
    async run({ args, flags }, world, scope) {
      await using access = await openClusterAccess(flags, world, scope);
      const objects: T[] = [];
      if (args.length > 0) for (const name of args) objects.push(await access.get<T>(kind.type, name, scope));
      else objects.push(...(await access.list<T>(kind.type, flags.selector, scope)));
      const context: DescribeContext = {
        access,
        world,
        flags,
        file: (file, name) => readFile(file, name, context, scope),
      };
      if (flags.output === "json") {
        const described = [];
        for (const object of objects) described.push(await kind.json(object, context, scope));
        world.out.line(JSON.stringify(sortedByKey(described.length === 1 ? described[0] : described), undefined, 4));
        return exitCode.ok;
      }
      for (const [index, object] of objects.entries()) {
        if (index > 0) world.out.text("\n\n");
        world.out.text(await kind.text(object, context, scope));
      }
      return exitCode.ok;
    },
  });
}

/** With the keys of every object in order, as Go writes maps. */
function sortedByKey(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedByKey);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortedByKey(inner)]));
}

async function readFile<T>(
  kind: DownloadTargetKind,
  name: string,
  { access, world, flags }: DescribeContext,
  scope: Scope,
): Promise<T | undefined> {
  const options = {
    access,
    clock: world.clock,
    timeoutMs: fileTimeoutMs,
    insecureSkipTlsVerify: flags.insecureSkipTlsVerify,
    ...(flags.cacert ? { caCertFile: flags.cacert } : {}),
  };
  try {
    return await downloadJson<T>({ kind, name }, options, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    world.out.note(`cannot get ${kind} of ${name}: ${messageOf(error)}`);
    return undefined;
  }
}
