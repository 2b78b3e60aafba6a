import { appendFileSync, readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "@jibe/base";
import { runRestore } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { eventually, type TempDir, tempDir, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { configMap, object } from "../../../packages/engine/test/builders.ts";
import { type RestoreWorld, restoreWorld, type WorldOptions } from "../../../packages/engine/test/restore-world.ts";
import { type PluginHost, startPluginHost } from "../../../packages/jibe/src/plugin-host/index.ts";

const secret = (place: string): KubernetesObject => object("v1", "Secret", place);

const waiting = (name: string, additional: readonly string[], annotations: Record<string, string>): KubernetesObject =>
  configMap(`shop/${name}`, {
    labels: { "example.io/ria2": "wait" },
    annotations: {
      ...annotations,
      "example.io/additional": additional.map((each) => `secrets/shop/${each}`).join(","),
    },
  });

/** A plugin process, and restores whose cluster writes its creates into the same record as the plugin its calls. */
class WaitingWorld {
  readonly plugins: TempDir;
  readonly state: TempDir;
  readonly host: PluginHost;
  #record = "";

  constructor(parts: { plugins: TempDir; state: TempDir; host: PluginHost }) {
    this.plugins = parts.plugins;
    this.state = parts.state;
    this.host = parts.host;
  }

  static async start(program: string): Promise<WaitingWorld> {
    const [plugins, state] = [await tempDir("waiting-plugins"), await tempDir("waiting-state")];
    await symlink(program, join(plugins.path, basename(program, ".ts")));
    const env = { ...process.env, PLUGIN_STATE_DIR: state.path };
    const settings = { pluginDir: plugins.path, env, args: ["--log-level=info"], strict: true };
    return new WaitingWorld({ plugins, state, host: await startPluginHost(settings, testScope()) });
  }

  begin(): void {
    this.#record = this.#read();
  }

  /** What plugin and cluster did since the test began, in order; namespaces apart. */
  calls(): string[] {
    const lines = this.#read().slice(this.#record.length).split("\n");
    return lines.filter((line) => line !== "" && !line.startsWith("create namespaces"));
  }

  async prepare(options: WorldOptions, scope: ReturnType<typeof testScope>): Promise<RestoreWorld> {
    const fault = async (call: string) => {
      if (call.startsWith("create ")) appendFileSync(join(this.state.path, "calls"), `${call}\n`);
      await options.fault?.(call);
    };
    const world = await restoreWorld({ ...options, fault }, scope);
    const plugins = async ({ log }: { log: typeof scope.log }) => this.host.openRun({ log });
    const ports = { ...world.ports, plugins };
    return { ...world, ports, run: () => runRestore(world.request, ports, scope) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
    await this.plugins[Symbol.asyncDispose]();
    await this.state[Symbol.asyncDispose]();
  }

  #read(): string {
    appendFileSync(join(this.state.path, "calls"), "");
    return readFileSync(join(this.state.path, "calls"), "utf8");
  }
}

interface Case {
  readonly additional?: readonly string[];
  readonly annotations: Record<string, string>;
  readonly options?: WorldOptions;
  /** Calls before the item itself is created, which comes last. */
  readonly calls: readonly string[];
  /** Whether a question in `calls` stands for any number of them: how many fit into a time is the machine's affair. */
  readonly asksUntilTimeIsUp?: boolean;
  readonly error?: RegExp;
}

const question = "ready? 1 items";
const cases: Record<string, Case> = {
  "that are ready at once": {
    annotations: { "example.io/ready-after": "0" },
    calls: ["create secrets shop/first", question],
  },
  "that are ready later": {
    annotations: { "example.io/ready-after": "1" },
    calls: ["create secrets shop/first", question, question],
  },
  "of which the plugin cannot tell": {
    annotations: { "example.io/ready-after": "error" },
    calls: ["create secrets shop/first", question],
    error: /plugin example\.io\/ria2-wait: .*readiness cannot be told/,
  },
  "that are not ready within the action's own time": {
    annotations: { "example.io/ready-after": "never", "example.io/ready-timeout": "500ms" },
    options: { settings: { additionalItemsReadyTimeoutMs: 600_000 } },
    calls: ["create secrets shop/first", question],
    asksUntilTimeIsUp: true,
    error: /plugin example\.io\/ria2-wait: not ready within 500ms/,
  },
  "that are not ready within the server's time": {
    annotations: { "example.io/ready-after": "never" },
    options: { settings: { additionalItemsReadyTimeoutMs: 500 } },
    calls: ["create secrets shop/first", question],
    asksUntilTimeIsUp: true,
    error: /plugin example\.io\/ria2-wait: not ready within 500ms/,
  },
  "less those that failed, not those that were there": {
    additional: ["first", "denied", "there"],
    annotations: { "example.io/ready-after": "0" },
    options: {
      objects: [object("v1", "Namespace", "shop"), { ...secret("shop/there"), data: { other: "b25l" } }],
      fault: (call) => {
        if (call === "create secrets shop/denied") throw new AppError("PermissionDenied", "denied by webhook");
      },
    },
    calls: ["create secrets shop/first", "create secrets shop/denied", "create secrets shop/there", "ready? 2 items"],
    error: /denied by webhook/,
  },
  "of which there are none": {
    additional: [],
    annotations: { "example.io/ready-after": "0" },
    calls: ["ready? 0 items"],
  },
};

function withoutRepetitions(lines: readonly string[]): string[] {
  return lines.filter((line, index) => line !== lines[index - 1]);
}

/** Holds a plugin of kind RestoreItemAction v2, as a real process, against the rules of waiting for additional items. */
export function verifyWaits(name: string, program: () => Promise<string>): void {
  describe(`${name} waits for additional items`, () => {
    let world: WaitingWorld;
    beforeAll(async () => {
      world = await WaitingWorld.start(await program());
    }, 600_000);
    beforeEach(() => world.begin());
    afterAll(() => world?.[Symbol.asyncDispose]());

    for (const [title, { additional = ["first"], annotations, options = {}, calls, ...want }] of Object.entries(
      cases,
    )) {
      test(title, { timeout: 60_000 }, async () => {
        using scope = testScope();
        const backedUp = [
          waiting("item", additional, annotations),
          ...additional.map((each) => secret(`shop/${each}`)),
        ];
        const priorities = { high: ["configmaps"], low: [] };
        const settings = { priorities, ...options.settings };
        const restore = await world.prepare({ ...options, backedUp, settings }, scope);
        const { results } = await restore.run();
        const made = want.asksUntilTimeIsUp ? withoutRepetitions(world.calls()) : world.calls();
        expect(made).toEqual(["ria2-wait ConfigMap shop/item", ...calls, "create configmaps shop/item"]);
        expect(restore.cluster.read("configmaps", "item", "shop")).toBeDefined();
        const errors = results.errors.namespaces?.["shop"] ?? [];
        expect(errors).toEqual(want.error ? [expect.stringMatching(want.error)] : []);
      });
    }

    for (const concurrency of [1, 32]) {
      test(`500 times without holding up others at concurrency ${concurrency}, until the restore is canceled`, {
        timeout: 120_000,
      }, async () => {
        using scope = testScope();
        const cancel = new AbortController();
        const numbers = Array.from({ length: 500 }, (_, index) => String(index).padStart(3, "0"));
        const held = numbers.map((each) => waiting(`w${each}`, [`s${each}`], { "example.io/ready-after": "never" }));
        const others = numbers.slice(0, 50).map((each) => configMap(`shop/z${each}`));
        const restore = await world.prepare(
          {
            backedUp: [...held, ...others, ...numbers.map((each) => secret(`shop/s${each}`))],
            settings: { concurrency, priorities: { high: ["configmaps"], low: [] } },
            cancel: cancel.signal,
          },
          scope,
        );
        const running = restore.run();
        const created = () => world.calls().filter((call) => call.startsWith("create configmaps"));
        await eventually(() => created().length === 50, { timeoutMs: 90_000 });
        expect(created().every((call) => call.startsWith("create configmaps shop/z"))).toBe(true);
        const questions = () => world.calls().filter((call) => call === question);
        await eventually(() => questions().length >= 500, { timeoutMs: 90_000 });
        cancel.abort(new Error("user said so"));
        const { status } = await running;
        expect(status).toMatchObject({ phase: "Failed", failureReason: "user said so" });
        expect(created()).toHaveLength(50);
      });
    }
  });
}
