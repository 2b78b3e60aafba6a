import { expect, test } from "vitest";
import type { Restore } from "../../api/resources.ts";
import { mayStartRestore } from "./decide-start.ts";

const restore = (includedNamespaces: string[], namespaceMapping?: Record<string, string>): Restore => ({
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: { name: includedNamespaces.join("-") },
  spec: { includedNamespaces, ...(namespaceMapping ? { namespaceMapping } : {}) },
});

const cases: Record<string, [Restore, Restore[], boolean]> = {
  "starts when nothing runs": [restore(["*"]), [], true],
  "starts beside one that writes elsewhere": [restore(["a"]), [restore(["b"])], true],
  "waits for one that writes to the same namespace": [restore(["a", "c"]), [restore(["b", "c"])], false],
  "looks at where it writes, not where from": [restore(["a"], { a: "x" }), [restore(["a"])], true],
  "waits for one that is mapped to its namespace": [restore(["x"]), [restore(["a"], { a: "x" })], false],
  "waits when it may write anywhere": [restore(["*"]), [restore(["a"])], false],
  "waits when it names no namespace": [restore([]), [restore(["a"])], false],
  "waits while one runs that may write anywhere": [restore(["a"]), [restore(["shop-*"])], false],
  "waits when all places are taken": [restore(["a"]), [restore(["b"]), restore(["c"])], false],
};
for (const [name, [given, running, want]] of Object.entries(cases)) {
  test(`a restore ${name}`, () => expect(mayStartRestore(given, running, 2)).toBe(want));
}
