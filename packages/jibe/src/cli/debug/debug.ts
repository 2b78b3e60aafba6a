import { writeFile } from "node:fs/promises";
import { AppError, messageOf, type Scope } from "@jibe/base";
import { nameStamp } from "../../api/backup-from-schedule.ts";
import { coreTypes, veleroTypes } from "../../api/resource-types.ts";
import { backupDescribe } from "../backup/describe.ts";
import { backupLogs } from "../backup/logs.ts";
import { type ClusterAccess, openClusterAccess } from "../cluster-access.ts";
import { type CliWorld, command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { restoreDescribe } from "../restore/describe.ts";
import { restoreLogs } from "../restore/logs.ts";
import { version } from "../version/version.ts";
import { captureCommand } from "./captured-command.ts";
import { tarBundle } from "./tar-bundle.ts";
import { withoutSecrets } from "./without-secrets.ts";

const logLines = 20_000;

export const debug = command({
  usage: "debug",
  summary: "Collect what helps to find a problem",
  description:
    "Write a bundle with the server's resources, its pods and their logs, versions, and the description and log of a backup or restore. Secrets are not read, and values that look secret are left out.",
  examples: ["jibe debug --backup nightly-20260131020000", "jibe debug --restore back --output ./bundle.tar.gz"],
  flags: {
    backup: flag.string("Backup whose description and log to add"),
    restore: flag.string("Restore whose description and log to add"),
    output: flag.string("File to write (default: ./bundle-TIME.tar.gz)", "", { placeholder: "path" }),
    verbose: flag.boolean("Name every file as it is collected"),
  },
  async run({ args, flags }, world, scope) {
    if (args.length > 0) throw new AppError("InvalidArgument", `debug takes no names, but got ${args.join(" ")}`);
    await using access = await openClusterAccess(flags, world, scope);
    const bundle = new Bundle(world, scope, flags.verbose);
    const globals = [
      `--namespace=${access.namespace}`,
      ...(flags.kubeconfig ? [`--kubeconfig=${flags.kubeconfig}`] : []),
      ...(flags.kubecontext ? [`--kubecontext=${flags.kubecontext}`] : []),
    ];
    await bundle.add("version.txt", () => captureCommand(version, globals, world, scope));
    await bundle.add("kubernetes-version.json", async () => json(await access.client.version(scope)));
    await addResources(bundle, access, scope);
    await addPods(bundle, access, scope);
    const runs = [
      { kind: "backup", name: flags.backup, describe: backupDescribe, logs: backupLogs },
      { kind: "restore", name: flags.restore, describe: restoreDescribe, logs: restoreLogs },
    ];
    for (const { kind, name, describe, logs } of runs.filter((run) => run.name !== "")) {
      const describeArgs = [name, "--details", ...globals];
      await bundle.add(`${kind}-${name}/describe.txt`, () => captureCommand(describe, describeArgs, world, scope));
      await bundle.add(`${kind}-${name}/log.txt`, () => captureCommand(logs, [name, ...globals], world, scope));
    }
    const path = flags.output || `./bundle-${nameStamp(world.clock.now(), "UTC")}.tar.gz`;
    await writeFile(path, await bundle.bytes(), { mode: 0o600 });
    world.out.line(`Wrote ${path}. Look through it before you hand it on: names and labels are in it.`);
    return exitCode.ok;
  },
});

/** What was collected so far. What cannot be had is noted in the bundle itself. */
class Bundle {
  readonly #files = new Map<string, string>();
  readonly #problems: string[] = [];
  readonly #world: CliWorld;
  readonly #signal: AbortSignal;
  readonly #isVerbose: boolean;

  constructor(world: CliWorld, { signal }: Scope, isVerbose: boolean) {
    this.#world = world;
    this.#signal = signal;
    this.#isVerbose = isVerbose;
  }

  async add(path: string, read: () => Promise<string>): Promise<void> {
    try {
      this.#files.set(path, await read());
      if (this.#isVerbose) this.#world.out.note(path);
    } catch (error) {
      this.#signal.throwIfAborted();
      const [reason] = messageOf(error).split("\n"); // advice after each would bury what is missing
      this.#problems.push(`${path}: ${reason}`);
      this.#world.out.note(`cannot collect ${path}: ${reason}`);
    }
  }

  bytes(): Promise<Uint8Array> {
    const problems = this.#problems.length > 0 ? [["problems.txt", `${this.#problems.join("\n")}\n`] as const] : [];
    return tarBundle(new Map([...this.#files, ...problems]), this.#world.clock.now());
  }
}

const json = (value: unknown) => `${JSON.stringify(withoutSecrets(value), undefined, 2)}\n`;

async function addResources(bundle: Bundle, access: ClusterAccess, scope: Scope): Promise<void> {
  const types = [...Object.values(veleroTypes), coreTypes.deployment, coreTypes.event];
  for (const type of types) {
    await bundle.add(`resources/${type.resource}.json`, async () => json(await access.list(type, "", scope)));
  }
}

async function addPods(bundle: Bundle, access: ClusterAccess, scope: Scope): Promise<void> {
  const { namespace, client } = access;
  const pods = await access.list(coreTypes.pod, "component=velero", scope).catch(() => []);
  await bundle.add("resources/pods.json", async () => json(pods));
  for (const { metadata, ...pod } of pods) {
    const { containers = [] } = (pod["spec"] ?? {}) as { readonly containers?: readonly { readonly name: string }[] };
    for (const { name } of containers) {
      await bundle.add(`pods/${metadata.name}/${name}.log`, async () => {
        const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/log`;
        const query = { container: name, tailLines: String(logLines) };
        return Buffer.from(await client.request({ method: "GET", path, query }, scope)).toString("utf8");
      });
    }
  }
}
