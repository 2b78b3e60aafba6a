import type { PluginKind } from "@jibe/plugin-sdk/contracts";
import { expect, test } from "vitest";
import { PluginCatalog } from "./plugin-catalog.ts";

const from = (command: string) => (kind: PluginKind, name: string) => ({ command, kind, name });
const [a, b] = [from("/plugins/a"), from("/plugins/b")];

test("actions run by executable, then version 1 by name, then version 2 by name", () => {
  const catalog = new PluginCatalog();
  catalog.add([a("BackupItemActionV2", "x.io/1"), a("BackupItemAction", "x.io/3"), a("BackupItemAction", "x.io/2")]);
  catalog.add([b("BackupItemAction", "x.io/0")]);
  expect(catalog.family("BackupItemAction").map(({ name }) => name)).toEqual(["x.io/2", "x.io/3", "x.io/1", "x.io/0"]);
});

test("a name that is there in both versions runs once, as version 2", () => {
  for (const kinds of [
    ["BackupItemAction", "BackupItemActionV2"],
    ["BackupItemActionV2", "BackupItemAction"],
  ] as const) {
    const catalog = new PluginCatalog();
    catalog.add(kinds.map((kind) => a(kind, "x.io/1")));
    expect(catalog.family("BackupItemAction")).toEqual([a("BackupItemActionV2", "x.io/1")]);
    expect(catalog.problems).toEqual([]);
  }
});

test("the same name may be of several kinds", () => {
  const catalog = new PluginCatalog();
  catalog.add([a("ObjectStore", "velero.io/aws"), a("VolumeSnapshotter", "velero.io/aws")]);
  expect(catalog.find("ObjectStore", "velero.io/aws")?.kind).toBe("ObjectStore");
  expect(catalog.find("VolumeSnapshotter", "velero.io/aws")?.kind).toBe("VolumeSnapshotter");
  expect(catalog.find("DeleteItemAction", "velero.io/aws")).toBeUndefined();
});

test("what is announced twice is reported", () => {
  const catalog = new PluginCatalog();
  catalog.add([a("DeleteItemAction", "x.io/1"), a("DeleteItemAction", "x.io/1")]);
  catalog.add([b("DeleteItemAction", "x.io/1")]);
  expect(catalog.problems.map(({ message }) => message)).toEqual([
    'DeleteItemAction "x.io/1" is announced twice',
    'DeleteItemAction "x.io/1" is ignored: /plugins/a has it already',
  ]);
});
