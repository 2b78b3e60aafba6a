import type { ResourceRef } from "../src/index.ts";

export const configMaps: ResourceRef = {
  group: "",
  version: "v1",
  resource: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};
