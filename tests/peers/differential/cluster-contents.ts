import { AppError, mapConcurrent, parseJson, type Scope } from "@jibe/base";
import type { Kubernetes } from "@jibe/testkit/peers";
import type { Files } from "./stored-files.ts";

interface Listed {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Types that come and go by themselves, or that say how a cluster runs and not what is in it. */
const notContents =
  /^(events|componentstatuses|leases|nodes|endpoints|endpointslices|flowschemas|prioritylevel|csinodes|[a-z]*\.velero\.io|backups|restores)(\.|$)/;

/** Every object of a cluster as `<type>/<namespace>/<name>`, without a namespace `<type>//<name>`. Numbers keep their text. */
export async function readClusterContents(kubernetes: Kubernetes, scope: Scope): Promise<Files> {
  const { stdout } = await kubernetes.kubectl(["api-resources", "--verbs=list", "-o=name"]);
  const types = stdout
    .split("\n")
    .filter((type) => type !== "" && !notContents.test(type) && !type.endsWith(".velero.io"));
  const contents = new Map<string, unknown>();
  const each = async (type: string) => ({ type, items: await list(kubernetes, type) });
  for await (const { type, items } of mapConcurrent(types.sort(), { limit: 4, each, ordered: true }, scope)) {
    for (const item of items) contents.set(`${type}/${item.metadata.namespace ?? ""}/${item.metadata.name}`, item);
  }
  return contents;
}

async function list(kubernetes: Kubernetes, type: string): Promise<readonly Listed[]> {
  const { stdout, stderr, exitCode } = await kubernetes.kubectl([
    "get",
    type,
    "-A",
    "-o=json",
    "--show-managed-fields",
  ]);
  if (exitCode !== 0) throw new AppError("Internal", `cannot list ${type}: ${stderr}`);
  return (parseJson(stdout) as { items: readonly Listed[] }).items;
}

/**
 * The objects that belong to a spec: those in namespaces that have its name or begin with it and `-x`, cluster-scoped ones
 * likewise, and definitions of the group `<spec>.example.io`.
 */
export function contentsOf(contents: Files, specName: string): Files {
  return new Map(
    [...contents].filter(([key]) => {
      const [, namespace = "", name = ""] = key.split("/");
      const owner = namespace === "" ? name : namespace;
      return owner === specName || owner.startsWith(`${specName}-x`) || owner.endsWith(`.${specName}.example.io`);
    }),
  );
}
