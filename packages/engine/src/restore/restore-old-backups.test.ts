import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { backup, configMap } from "../../test/builders.ts";
import { restoreWorld } from "../../test/restore-world.ts";

const path = (type: string, name: string) => `resources/${type}/namespaces/shop/${name}.json`;
const item = configMap("shop/settings", { labels: { app: "shop" } });

const layouts: Record<string, Record<string, string>> = {
  "without a version file and without versions": { [path("configmaps", "settings")]: JSON.stringify(item) },
  "of format 1, which knows one version of each item": {
    "metadata/version": "1",
    [path("configmaps", "settings")]: JSON.stringify(item),
  },
  "of format 1.1.0, with the preferred version beside": {
    "metadata/version": "1.1.0",
    [path("configmaps", "settings")]: JSON.stringify(item),
    [path("configmaps/v1-preferredversion", "settings")]: JSON.stringify(item),
  },
};

for (const [name, entries] of Object.entries(layouts)) {
  test(`a backup ${name} comes back, also where versions are chosen`, async () => {
    for (const enableApiGroupVersions of [false, true]) {
      using scope = testScope();
      const format = entries["metadata/version"];
      const old = { ...backup("b1"), status: format === undefined ? {} : { formatVersion: format } };
      const world = await restoreWorld({ entries, backup: old, settings: { enableApiGroupVersions } }, scope);
      const { status } = await world.run();
      expect(status).toMatchObject({ phase: "Finalizing", errors: 0, warnings: 0 });
      expect(world.cluster.read("configmaps", "settings", "shop")?.["data"]).toEqual(item["data"]);
    }
  });
}
