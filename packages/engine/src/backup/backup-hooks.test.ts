import type { BackupSpec, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { configMap, namespace, pod } from "../../test/builders.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { blockAction, memoryPlugins } from "../../test/memory-plugins.ts";
import type { ExecRequest, ExecResult } from "../ports/cluster.ts";

const ok: ExecResult = { exitCode: 0, stdout: "", stderr: "" };
const hook = (phase: "pre" | "post", ...commands: [string, object?][]) => ({
  [phase]: commands.map(([command, more]) => ({ exec: { command: [command], ...more } })),
});

async function runHooks({
  pods,
  spec = {},
  answer = () => ok,
}: {
  pods: readonly KubernetesObject[];
  spec?: BackupSpec;
  answer?: (request: ExecRequest) => ExecResult | Promise<ExecResult>;
}) {
  const ran: string[] = [];
  const exec = (request: ExecRequest) => {
    ran.push(`${request.pod} ${request.container} ${request.command.join(" ")}`);
    return answer(request);
  };
  const cluster = memoryCluster({ objects: [namespace("a"), configMap("a/x"), ...pods], exec });
  const together = blockAction("example.io/together", { includedResources: ["pods"] }, () =>
    pods.map(({ metadata }) => ({ groupResource: "pods", namespace: "a", name: metadata.name })),
  );
  const outcome = await backUp({ cluster, spec, plugins: memoryPlugins({ block: [together] }) });
  return { ran, outcome };
}

describe("hooks of the spec", () => {
  test("run before and after all pods of a block", async () => {
    const spec = { hooks: { resources: [{ name: "h", ...hook("pre", ["freeze"]), ...hook("post", ["thaw"]) }] } };
    const { ran, outcome } = await runHooks({ pods: [pod("a/one"), pod("a/two")], spec });
    expect(ran).toEqual(["one main freeze", "two main freeze", "one main thaw", "two main thaw"]);
    expect(outcome.result.status.hookStatus).toEqual({ hooksAttempted: 4 });
    expect(outcome.patches.at(-1)?.hookStatus).toEqual({ hooksAttempted: 4 });
  });

  test("run only where they apply", async () => {
    const resources = [
      { name: "other ns", includedNamespaces: ["b"], ...hook("pre", ["no"]) },
      { name: "other type", includedResources: ["configmaps"], ...hook("pre", ["no"]) },
      { name: "label", labelSelector: { matchLabels: { app: "db" } }, ...hook("pre", ["yes"]) },
    ];
    const pods = [pod("a/one", { metadata: { labels: { app: "db" } } }), pod("a/two")];
    const { ran } = await runHooks({ pods, spec: { hooks: { resources } } });
    expect(ran).toEqual(["one main yes"]);
  });

  test("with an invalid selector fail the backup", async () => {
    const labelSelector = { matchExpressions: [{ key: "a", operator: "Near" as "In", values: ["b"] }] };
    const { outcome } = await runHooks({ pods: [], spec: { hooks: { resources: [{ name: "h", labelSelector }] } } });
    expect(outcome.result.phase).toBe("Failed");
    expect(outcome.result.status.failureReason).toContain('hook "h" has an invalid label selector');
  });
});

describe("a hook that fails", () => {
  const fails = (request: ExecRequest) => (request.command[0] === "bad" ? { ...ok, exitCode: 3 } : ok);
  const spec = (onError?: "Fail" | "Continue") => ({
    hooks: {
      resources: [
        { name: "h", ...hook("pre", ["bad", onError ? { onError } : {}], ["next"]), ...hook("post", ["thaw"]) },
      ],
    },
  });

  for (const onError of ["Continue", undefined] as const) {
    test(`and has ${onError ?? "no mode"} lets the rest go on`, async () => {
      const { ran, outcome } = await runHooks({ pods: [pod("a/one")], spec: spec(onError), answer: fails });
      expect(ran).toEqual(["one main bad", "one main next", "one main thaw"]);
      expect(outcome.result.status).toMatchObject({ errors: 1, hookStatus: { hooksAttempted: 3, hooksFailed: 1 } });
      expect(await outcome.paths()).toContain("pods a/one");
      expect(outcome.results().errors.velero).toEqual([
        " message: /Error executing hook error: /command terminated with exit code 3",
      ]);
    });
  }

  test("and has Fail keeps the pod out, stops its hooks, and costs no other item", async () => {
    const pods = [pod("a/one"), pod("a/two")];
    const answer = (request: ExecRequest) => (request.pod === "one" ? fails(request) : ok);
    const { ran, outcome } = await runHooks({ pods, spec: spec("Fail"), answer });
    expect(ran).toEqual(["one main bad", "two main bad", "two main next", "two main thaw"]);
    expect(await outcome.paths()).toEqual(["configmaps a/x", "namespaces a", "pods a/two"]);
    expect(outcome.result.status.hookStatus).toEqual({ hooksAttempted: 5, hooksFailed: 1 });
    expect(outcome.results().errors.velero).toEqual([
      " message: /Error executing hook error: /command terminated with exit code 3",
      " name: /one message: /Error running pre hooks for pod error: /command terminated with exit code 3",
    ]);
    expect(outcome.ledger()).toContainEqual(expect.objectContaining({ name: "one", outcome: "failed", step: "hook" }));
  });
});

describe("hooks by annotation", () => {
  const annotated = (annotations: Record<string, string>, more: object = {}) =>
    pod("a/one", { metadata: { annotations }, ...more });
  const key = (name: string, phase = "pre.") => `${phase}hook.backup.velero.io/${name}`;

  const commands: Record<string, { annotations: Record<string, string>; want: string[] }> = {
    "take one word": { annotations: { [key("command")]: "freeze now" }, want: ["one main freeze now"] },
    "take a JSON list": { annotations: { [key("command")]: '["/bin/sh","-c"]' }, want: ["one main /bin/sh -c"] },
    "take what is no list as one word": { annotations: { [key("command")]: "[oops" }, want: ["one main [oops"] },
    "count without a phase as pre": { annotations: { [key("command", "")]: "old" }, want: ["one main old"] },
    "replace the spec's in their phase alone": {
      annotations: { [key("command", "post.")]: "own" },
      want: ["one main spec-pre", "one main own"],
    },
  };
  for (const [name, { annotations, want }] of Object.entries(commands)) {
    test(name, async () => {
      const resources = [{ name: "h", ...hook("pre", ["spec-pre"]), ...hook("post", ["spec-post"]) }];
      const spec = name.startsWith("replace") ? { hooks: { resources } } : {};
      const { ran } = await runHooks({ pods: [annotated(annotations)], spec });
      expect(ran).toEqual(want);
    });
  }

  test("name their container; a sidecar counts, an unknown one is an error", async () => {
    const spec = {
      containers: [{ name: "main" }, { name: "db" }],
      initContainers: [{ name: "side", restartPolicy: "Always" }, { name: "init" }],
    };
    for (const [container, ran] of [
      ["db", ["one db x"]],
      ["side", ["one side x"]],
      ["init", []],
    ] as const) {
      const annotations = { [key("command")]: "x", [key("container")]: container };
      const result = await runHooks({ pods: [annotated(annotations, { spec })] });
      expect(result.ran).toEqual(ran);
      const errors = result.outcome.results().errors.velero ?? [];
      expect(errors).toEqual(
        container === "init" ? [' message: /Error executing hook error: /no such container: "init"'] : [],
      );
    }
  });

  test("do not run in a pod that has ended, and count as success", async () => {
    const ended = annotated({ [key("command")]: "x" }, { status: { phase: "Succeeded" } });
    const { ran, outcome } = await runHooks({ pods: [ended] });
    expect(ran).toEqual([]);
    expect(outcome.result.status.hookStatus).toEqual({ hooksAttempted: 1 });
  });

  test("with a bad timeout use the default and warn", async () => {
    const { ran, outcome } = await runHooks({
      pods: [annotated({ [key("command")]: "x", [key("timeout")]: "soon" })],
    });
    expect(ran).toHaveLength(1);
    expect(outcome.results().warnings.velero?.[0]).toContain("Unable to parse provided timeout soon, using default");
  });
});
