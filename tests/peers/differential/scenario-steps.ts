import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type Scope } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import type { Kubernetes } from "@jibe/testkit/peers";
import { applyAll } from "./apply-all.ts";
import type { Part, Step } from "./scenario-file.ts";
import type { RunningServer } from "./servers.ts";
import type { DataObject } from "./spec-file.ts";

/** Where a scenario plays. */
export interface Stage {
  readonly kubernetes: Kubernetes;
  readonly running: RunningServer;
  /** The folder of the buckets; `$ROOT` in a data file. */
  readonly root: string;
  /** The folder that hooks may watch; `$DIR` in a data file. */
  readonly dir: string;
}

/** Does what one step of a scenario says. */
export async function doStep(step: Step, stage: Stage, scope: Scope): Promise<void> {
  const { kubernetes, root, dir } = stage;
  if (step.apply)
    await applyAll(
      kubernetes,
      step.apply.map((object) => placed(object, stage)),
    );
  for (const [target, patch] of Object.entries(step.patch ?? {})) {
    await succeed(kubernetes.kubectl(["patch", target, "-n", "velero", "--type=merge", "-p", JSON.stringify(patch)]));
  }
  for (const target of step.delete ?? []) {
    await succeed(kubernetes.kubectl(["delete", target, "-n", "velero", "--wait=false"]));
  }
  for (const [words, wanted] of Object.entries(step.until ?? {})) await untilIs(words, wanted, stage, scope);
  for (const path of step.unstore ?? []) await rm(join(root, path), { recursive: true });
  if (step.cli) await succeed(stage.running.cli(step.cli.split(" ")));
  if (step.signal) {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, step.signal), "");
  }
}

function placed(object: DataObject, { root, dir }: Stage): DataObject {
  const text = JSON.stringify(object).replaceAll("$ROOT", root).replaceAll("$DIR", dir);
  const parsed = JSON.parse(text) as DataObject;
  if (!parsed.apiVersion.startsWith("velero.io/")) return parsed;
  return { ...parsed, metadata: { namespace: "velero", ...parsed.metadata } };
}

async function succeed(command: ReturnType<Kubernetes["kubectl"]>): Promise<void> {
  const { exitCode, stdout, stderr } = await command;
  if (exitCode !== 0) throw new AppError("Internal", `exit code ${exitCode}: ${stderr}${stdout}`);
}

type Wanted = NonNullable<Step["until"]>[string];

async function untilIs(words: string, wanted: Wanted, { kubernetes }: Stage, scope: Scope): Promise<void> {
  const args = ["get", "-n", "velero", ...words.split(" "), "-o=json", "--ignore-not-found"];
  const all: readonly unknown[] = wanted === "gone" ? [] : Array.isArray(wanted) ? wanted : [wanted];
  await eventually(
    async () => {
      const { stdout } = await kubernetes.kubectl(args);
      const items = stdout.trim() === "" ? [] : itemsIn(JSON.parse(stdout));
      if (items.length === all.length && all.every((part, index) => includes(items[index], part))) return true;
      throw new AppError("Internal", `${words} is not ${JSON.stringify(wanted)} but ${JSON.stringify(items)}`);
    },
    { timeoutMs: 150_000, intervalMs: 1_000, signal: scope.signal },
  );
}

function itemsIn(answer: { readonly items?: readonly unknown[] }): readonly unknown[] {
  return answer.items ?? [answer];
}

/** Whether a value has all that a part of it has. */
function includes(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return value === part;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(part)) return false;
  return Object.entries(part as Part).every(([key, inner]) => includes((value as Part)[key], inner));
}
