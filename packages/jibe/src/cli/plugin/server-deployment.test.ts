import { expect, test } from "vitest";
import { type PluginPodSpec, withoutPlugin, withPlugin } from "./server-deployment.ts";

const plugin = (name: string) => ({ name, image: `example.io/${name}:v1` });
const mount = { name: "plugins", mountPath: "/plugins" };
const server = { name: "velero", image: "jibe" };
const bare: PluginPodSpec = { containers: [server, { name: "sidecar", image: "x" }] };

test("a plugin is added with the folder that it is copied to", () => {
  expect(withPlugin(bare, plugin("x"))).toEqual({
    initContainers: [plugin("x")],
    volumes: [{ name: "plugins", emptyDir: {} }],
    containers: [
      { ...server, volumeMounts: [mount] },
      { name: "sidecar", image: "x" },
    ],
  });
});

test("a second plugin shares the folder", () => {
  const once = withPlugin(bare, plugin("x"));
  expect(withPlugin(once, plugin("y"))).toEqual({ ...once, initContainers: [plugin("x"), plugin("y")] });
});

test("a plugin that is there is not added again", () => {
  expect(() => withPlugin(withPlugin(bare, plugin("x")), plugin("x"))).toThrow(/jibe plugin remove x/);
});

test("a plugin is removed by name or by image", () => {
  const both = withPlugin(withPlugin(bare, plugin("x")), plugin("y"));
  expect(withoutPlugin(both, "x").initContainers).toEqual([plugin("y")]);
  expect(withoutPlugin(both, "example.io/y:v1").initContainers).toEqual([plugin("x")]);
  expect(() => withoutPlugin(both, "z")).toThrow('no plugin "z" is installed; there: x (example.io/x:v1), y');
});
