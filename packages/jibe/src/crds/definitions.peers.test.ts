import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { testScope } from "@jibe/testkit";
import { peerProgram } from "@jibe/testkit/peers";
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { customResourceDefinitions } from "./definitions.ts";

interface Node {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: { readonly kind: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Node } }[];
  };
}

/** Every field's path with its type. Below a container that keeps unknown fields nothing is listed. */
function pathsOf(node: Node, path: string, found: Map<string, string>): Map<string, string> {
  found.set(path, node.type ?? "");
  for (const [name, child] of Object.entries(node.properties ?? {})) pathsOf(child, `${path}.${name}`, found);
  if (node.items) pathsOf(node.items, `${path}[]`, found);
  if (node.additionalProperties) pathsOf(node.additionalProperties, `${path}{}`, found);
  return found;
}

test("our definitions have every field of Velero's own, with the same type, and one more", async () => {
  await using scope = testScope();
  const velero = await peerProgram("velero", scope);
  const { stdout } = await promisify(execFile)(velero, ["install", "--crds-only", "--dry-run", "-o", "yaml"], {
    maxBuffer: 1 << 24,
  });
  const list = loadAll(stdout) as { items?: Definition[] }[];
  const theirs = list.flatMap((document) => document.items ?? [document as unknown as Definition]);
  expect(theirs.length).toBeGreaterThan(10);
  const ours = new Map(
    (customResourceDefinitions() as unknown as Definition[]).map((definition) => [
      definition.metadata.name,
      definition,
    ]),
  );
  const missing: string[] = [];
  const added: string[] = [];
  for (const definition of theirs) {
    const mine = ours.get(definition.metadata.name);
    const theirVersion = definition.spec.versions[0];
    const myVersion = mine?.spec.versions.find(({ name }) => name === theirVersion?.name);
    if (!theirVersion || !myVersion) {
      missing.push(definition.metadata.name);
      continue;
    }
    const have = pathsOf(myVersion.schema.openAPIV3Schema, definition.spec.names.kind, new Map());
    const wanted = pathsOf(theirVersion.schema.openAPIV3Schema, definition.spec.names.kind, new Map());
    added.push(...[...have.keys()].filter((path) => !wanted.has(path)));
    for (const [path, type] of wanted) {
      if (path.includes("initContainers[]")) continue; // ours keeps any container as it is
      if (have.get(path) !== type) missing.push(`${path}: ${type} (ours: ${have.get(path) ?? "none"})`);
    }
  }
  expect(missing).toEqual([]);
  // Each has a form as annotation: jibe.io/cancel.
  expect(added.toSorted()).toEqual(["Backup.spec.cancel", "Restore.spec.cancel", "Schedule.spec.template.cancel"]);
});
