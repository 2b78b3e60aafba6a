import type { RestoreResourceHookSpec, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { object } from "@jibe/testkit";
import { expect, test } from "vitest";
import { onRestore } from "../test/execute.ts";
import { initRestoreHook } from "./init-restore-hook.ts";

const prefix = "init.hook.restore.velero.io";
const own = { name: "own", image: "own:1" };
const hook = { name: "hook", image: "hook:1", command: ["/hook"] };
const waiting = { name: "restore-wait", image: "w" };
const pod = (initContainers: object[] | undefined, parts: object = {}) =>
  object("v1", "Pod", "p", {
    namespace: "shop",
    spec: { containers: [], ...(initContainers ? { initContainers } : {}) },
    ...parts,
  });
const hooks = (...resources: Partial<RestoreResourceHookSpec>[]): RestoreSpec => ({
  hooks: {
    resources: resources.map((resource) => ({
      name: "h",
      postHooks: [{ init: { initContainers: [hook] } }],
      ...resource,
    })),
  },
});
const annotated = (values: Record<string, string>) => ({
  annotations: Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}/${key}`, value])),
});

interface Case {
  readonly before?: object[];
  readonly after?: object[];
  readonly parts?: object;
  readonly spec?: RestoreSpec;
}

const cases: Record<string, Case> = {
  "stays as it is without hooks": { before: [own] },
  "gets the restore's init containers before its own": { before: [own], after: [hook, own], spec: hooks({}) },
  "gets them behind the one that waits for volumes": {
    before: [waiting, own],
    after: [waiting, hook, own],
    spec: hooks({}),
  },
  "gets them where it had none": { after: [hook], spec: hooks({}) },
  "gets those of each hook that applies, in their order": {
    after: [hook, { ...hook, name: "second" }],
    spec: hooks(
      {},
      { postHooks: [{ exec: { command: ["x"] } }, { init: { initContainers: [{ ...hook, name: "second" }] } }] },
    ),
  },
  "is left out by namespace": {
    before: [own],
    spec: hooks({ includedNamespaces: ["other"] }, { excludedNamespaces: ["sh*"] }),
  },
  "is chosen by the namespace it is restored to": {
    after: [hook],
    spec: { ...hooks({ includedNamespaces: ["target"] }), namespaceMapping: { shop: "target" } },
  },
  "is chosen by its labels": {
    after: [hook],
    parts: { labels: { app: "web" } },
    spec: hooks({ labelSelector: { matchLabels: { app: "web" } } }, { labelSelector: { matchLabels: { app: "db" } } }),
  },
  "gets the container of its annotations instead of the restore's": {
    before: [own],
    after: [{ name: "mine", image: "i:1", command: ["/bin/sh", "-c", "true"] }, own],
    parts: annotated({ "container-image": "i:1", "container-name": "mine", command: '["/bin/sh","-c","true"]' }),
    spec: hooks({}),
  },
  "takes a command that is no list for one word": {
    after: [{ name: "mine", image: "i:1", command: ["/run me"] }],
    parts: annotated({ "container-image": "i:1", "container-name": "mine", command: "/run me" }),
  },
  "takes a broken list for one word": {
    after: [{ name: "mine", image: "i:1", command: ["[broken"] }],
    parts: annotated({ "container-image": "i:1", "container-name": "mine", command: "[broken" }),
  },
  "runs the image's own command when none is given": {
    after: [{ name: "mine", image: "i:1" }],
    parts: annotated({ "container-image": "i:1", "container-name": "mine" }),
  },
  "ignores annotations without an image": {
    before: [own],
    parts: annotated({ "container-name": "mine", command: "x" }),
  },
};
for (const [name, { before, after, parts = {}, spec = {} }] of Object.entries(cases)) {
  test(`a restored pod ${name}`, async () => {
    const item = pod(before, parts);
    const output = await onRestore(initRestoreHook, item, { spec });
    if (after) expect(output.item).toEqual(pod(after, parts));
    else expect(output.item).toBe(item);
  });
}

test("a container from annotations gets a name of its own", async () => {
  const { item } = await onRestore(initRestoreHook, pod(undefined, annotated({ "container-image": "i:1" })));
  const { initContainers } = item["spec"] as { initContainers: { name: string }[] };
  expect(initContainers[0]?.name).toMatch(/^velero-restore-init-[0-9a-f]{8}$/);
});

test("a container of the restore that lacks something is refused by name", async () => {
  for (const [missing, container] of [
    ["name", { image: "i", command: [] }],
    ["image", { name: "n", command: [] }],
    ["command", { name: "n", image: "i" }],
  ] as const) {
    const spec = hooks({ name: "prepare", postHooks: [{ init: { initContainers: [container] } }] });
    const message = `restore hook "prepare": an init container has no ${missing}`;
    await expect(onRestore(initRestoreHook, pod([]), { spec })).rejects.toMatchObject({
      code: "InvalidArgument",
      message,
    });
  }
});
