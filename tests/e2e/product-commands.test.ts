import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { deployment } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { startCaptured } from "./product/captured-process.ts";
import { ProductWorld, type RunningServer } from "./product/product-world.ts";

const run = (...args: string[]) => startCaptured(args, { env: { HOME: "/nonexistent" } }).ended;

describe("a command line that is wrong", { timeout: 90_000 }, () => {
  const cases: Record<string, [string[], RegExp]> = {
    "an unknown command": [["bakup", "get"], /unknown command "bakup" for "jibe": did you mean "backup"\?/],
    "an unknown flag": [["backup", "get", "--selectr=x"], /unknown flag: --selectr \(did you mean --selector\?\)/],
    "a value that is none of the choices": [["backup", "get", "-o", "xml"], /must be one of table, json, yaml/],
    "a flag without its value": [["backup", "create", "x", "--ttl"], /flag needs a value: --ttl/],
  };
  for (const [name, [args, message]] of Object.entries(cases)) {
    test(`${name} ends with 2 and a hint`, async () =>
      expect(await run(...args)).toMatchObject({ exitCode: 2, err: expect.stringMatching(message) }));
  }

  test("no cluster at all is explained", async () => {
    expect(await run("backup", "get")).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/no Kubernetes configuration found .*set KUBECONFIG/),
    });
  });
});

describe("commands without a server", { timeout: 90_000 }, () => {
  let world: ProductWorld;
  beforeAll(async () => {
    world = await ProductWorld.start();
  }, 120_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  test("a create is printed instead of sent", async () => {
    for (const form of ["json", "yaml", "table"]) {
      const { exitCode, out } = await world.jibe("backup", "create", "shown", "--selector=app=shop", "-o", form);
      expect(exitCode).toBe(0);
      expect(out).toMatch(
        { json: /"matchLabels": \{\s+"app": "shop"/, yaml: /^kind: Backup$/m, table: /app=shop/ }[form] ?? /./,
      );
    }
    expect(await world.list("backup")).toEqual([]);
  });

  test("a create that is printed as a table has the label columns that were asked for", async () => {
    const flags = ["--labels=team=a", "-L", "team", "--show-labels", "-o", "table"];
    const { out } = await world.jibe("backup", "create", "shown", ...flags);
    expect(out).toMatch(/^NAME .*TEAM +LABELS\nshown .* a +team=a$/m);
  });

  test("a restore can name the policies that say more finely what to restore", async () => {
    await world.jibe("backup", "create", "source");
    const flags = ["--from-backup=source", "--resource-policies-configmap=finer", "-o", "json"];
    const { out } = await world.jibe("restore", "create", "r", ...flags);
    expect(JSON.parse(out)).toMatchObject({ spec: { resourcePolicy: { kind: "configmap", name: "finer" } } });
    await world.client.delete(veleroTypes.backup, { namespace: "velero", name: "source" }, world.scope);
  });

  test("lists are chosen by selector, label columns and default", async () => {
    await world.jibe("backup", "create", "one", "--labels=team=a");
    await world.jibe("backup", "create", "two", "--labels=team=b");
    expect((await world.jibe("backup", "get", "-l", "team=a")).out).not.toContain("two");
    const { out } = await world.jibe("get", "backups", "-L", "team", "--show-labels");
    expect(out).toMatch(/^NAME .*TEAM +LABELS$/m);
    expect(out).toMatch(/^two +New .* b +team=b$/m);
    const list = JSON.parse((await world.jibe("backup", "get", "-o", "json")).out);
    expect(list).toMatchObject({ kind: "BackupList", items: [{ kind: "Backup" }, { kind: "Backup" }] });
    const common = ["--provider=aws", "--bucket=b"];
    await world.jibe("backup-location", "create", "main", "--default", ...common);
    await world.jibe("backup-location", "create", "other", ...common);
    expect((await world.jibe("backup-location", "get", "--default")).out).not.toContain("other");
    expect(await world.jibe("backup-location", "create", "third", "--default", ...common)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("backup-location set main --default=false"),
    });
  });

  test("a wrong name suggests the right one", async () => {
    await world.jibe("schedule", "create", "nightly", "--schedule=@daily");
    expect(await world.jibe("schedule", "describe", "nigthly")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('schedule "nigthly" not found in namespace "velero"; did you mean "nightly"?'),
    });
  });

  test("a name that nothing resembles is told what there is", async () => {
    expect((await world.jibe("schedule", "describe", "x")).err).toContain('in namespace "velero"; there: "nightly"');
    const { err } = await world.jibe("snapshot-location", "get", "x");
    expect(err).toContain('volume snapshot location "x" not found in namespace "velero"; there are none');
  });

  test("a name that is taken is said, and what to do", async () => {
    expect(await world.jibe("schedule", "create", "nightly", "--schedule=@daily")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('schedule "nightly" already exists in namespace "velero": choose another name'),
    });
  });

  test("a schedule that never comes due is refused before it is sent", async () => {
    expect(await world.jibe("schedule", "create", "wrong", "--schedule=61 * * * *")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('invalid schedule "61 * * * *": minute 61 is above 59'),
    });
    expect(await world.find("schedule", "wrong")).toBeUndefined();
  });

  test("a namespace that does not exist is said", async () => {
    expect((await world.jibe("backup", "get", "-n", "elsewhere")).err).toContain("It does not exist");
    expect(await world.jibe("backup", "create", "x", "-n", "elsewhere")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('Namespace "elsewhere" does not exist: name the server\'s with --namespace'),
    });
  });

  test("a version without a server says so and ends with 0", async () => {
    expect(await world.jibe("version", "--timeout=300ms")).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("<error getting server version:"),
    });
  });

  test("deleting needs a yes", async () => {
    expect(await world.jibe("schedule", "delete", "--all")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("--confirm"),
    });
  });

  test("plugins are added to and removed from the deployment", async () => {
    await world.create(coreTypes.deployment, deployment("velero", { namespace: "velero" }));
    const image = "example.io/team/velero-plugin-x:v1";
    expect(await world.jibe("plugin", "add", image, "--confirm")).toMatchObject({ exitCode: 0, err: "" });
    const specOf = async () => {
      const found = await world.client.get(coreTypes.deployment, { namespace: "velero", name: "velero" }, world.scope);
      return (found as unknown as { spec: { template: { spec: Record<string, unknown> } } }).spec.template.spec;
    };
    expect(await specOf()).toMatchObject({ initContainers: [{ name: "team-velero-plugin-x", image }] });
    await world.jibe("plugin", "remove", "team-velero-plugin-x", "--confirm");
    expect((await specOf())["initContainers"] ?? []).toEqual([]);
  });
});

describe("an installation", { timeout: 90_000 }, () => {
  test("is made, brought to the same state again, and removed with everything that belongs to it", async () => {
    await using world = await ProductWorld.start({ definitions: [], namespaces: [] });
    const flags = ["--provider=jibe.io/filesystem", "--bucket=b", "--backup-location-config=root=/data"];
    const installed = await world.jibe("install", ...flags, "--use-node-agent", "--concurrent-backups=8");
    expect(installed).toMatchObject({ exitCode: 0, err: "--use-node-agent has no effect: there is no node agent\n" });
    expect(installed.out).toContain("Deployment/velero: created");
    const place = { namespace: "velero", name: "velero" };
    const made = JSON.stringify(await world.client.get(coreTypes.deployment, place, world.scope));
    expect(made).toContain('"--concurrent-backups=8"');
    expect(made).toContain('"readOnlyRootFilesystem":true');
    const budgets = { group: "policy", version: "v1", resource: "poddisruptionbudgets", kind: "PodDisruptionBudget" };
    const budget = await world.client.get(
      { ...budgets, namespaced: true },
      { namespace: "velero", name: "jibe" },
      world.scope,
    );
    expect(budget).toMatchObject({ spec: { maxUnavailable: 1 } });
    expect(await world.jibe("install", ...flags)).toMatchObject({ exitCode: 0, err: "" });
    expect(await world.jibe("uninstall")).toMatchObject({ exitCode: 1, err: expect.stringContaining("--force") });
    expect(await world.jibe("uninstall", "--force")).toMatchObject({ exitCode: 0, err: "" });
    expect(await world.jibe("backup", "get")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('The cluster has no backups.velero.io: run "jibe install"'),
    });
  });

  test("says what is missing", async () => {
    const { exitCode, err } = await run("install", "--provider=aws");
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err: "An error occurred: --bucket must be given (or --no-default-backup-location)\n",
    });
    expect((await run("install", "--provider=aws", "--bucket=b")).err).toContain("--secret-file and --no-secret");
  });
});

describe("commands with a server", { timeout: 90_000 }, () => {
  let world: ProductWorld;
  let server: RunningServer;
  beforeAll(async () => {
    world = await ProductWorld.start();
    server = await world.startServer({ flags: ["--concurrent-backups=1"] });
    await world.addLocation();
    await world.deployShop();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
  }, 120_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  test("the plugins on disk and those built in are listed", async () => {
    const { out } = await world.jibe("plugin", "get");
    expect(out).toMatch(/^example\.io\/held-backup +BackupItemActionV2$/m);
    expect(out).toMatch(/^velero\.io\/aws +ObjectStore$/m);
  });

  test("waiting for a failure ends with 4, with Velero's codes with 0", async () => {
    const bad = ["--storage-location=default", "--include-namespaces=shop", "--resource-policies-configmap=none"];
    expect((await world.jibe("backup", "create", "bad", ...bad, "--wait")).exitCode).toBe(4);
    expect((await world.jibe("backup", "create", "bad2", ...bad, "--wait", "--velero-exit-codes")).exitCode).toBe(0);
    expect((await world.jibe("backup", "create", "bad3", ...bad, "--wait", "--quiet")).out.split("\n")).toHaveLength(3);
  });

  test("waiting for a partial failure ends with 3 and tells how many errors there are", async () => {
    const { exitCode, out } = await world.jibe("backup", "create", "part", "--include-namespaces=shop,gone", "--wait");
    expect(exitCode).toBe(3);
    expect(out).toMatch(/^Backup completed with status: PartiallyFailed\..*\n {2}1 error, 0 warnings$/m);
  });

  test("a queued backup can be canceled", async () => {
    await world.deployHeld("held", "execute");
    await world.jibe("backup", "create", "first", "--include-namespaces=held");
    await world.untilPhase("backup", "first", ["InProgress"]);
    await world.jibe("backup", "create", "second", "--include-namespaces=held");
    await world.untilPhase("backup", "second", ["Queued"]);
    await world.jibe("backup", "cancel", "second");
    const { status } = await world.untilPhase("backup", "second", ["Failed"]);
    expect(status).toMatchObject({ failureReason: "Canceled by user" });
    await world.release("held");
    await world.untilPhase("backup", "first", ["Completed"]);
  });

  test("a debug bundle holds resources, descriptions and logs, and no secrets", async () => {
    await world.jibe("backup", "create", "seen", "--include-namespaces=shop", "--wait");
    const path = join(world.dir, "bundle.tar.gz");
    const { exitCode, err } = await world.jibe("debug", "--backup=seen", `--output=${path}`);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const text = gunzipSync(readFileSync(path)).toString("latin1");
    for (const name of ["version.txt", "resources/backups.json", "backup-seen/describe.txt", "backup-seen/log.txt"])
      expect(text).toContain(name);
    expect(text).not.toContain("resources/secrets");
  });

  test("what a report needs is printed, with the versions that answer", async () => {
    const { exitCode, out } = await world.jibe("bug");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^- jibe: v\S+\n- Server: \S+\n- Kubernetes: v\S+\n- Features: none$/m);
    const { out: alone } = await run("bug");
    expect(alone).toMatch(/^- Server: not asked\n- Kubernetes: no answer: no Kubernetes configuration found/m);
  });

  test("the namespace comes from the settings file", async () => {
    await world.jibe("client", "config", "set", "namespace=elsewhere");
    expect((await world.jibe("backup", "get")).err).toContain('namespace "elsewhere"');
    await world.jibe("client", "config", "set", "namespace=");
    expect((await world.jibe("backup", "get")).err).toBe("");
  });

  test("a location that cannot be used says why, and is taken up when it is mended", async () => {
    const config = `--config=root=${join(world.dir, "late")}`;
    await world.jibe("backup-location", "create", "late", "--provider=example.io/none", "--bucket=b", config);
    const { status } = await world.untilPhase("backupStorageLocation", "late", ["Unavailable"]);
    expect(status?.["message"]).toContain('no object store plugin "example.io/none" is installed');
    const patch = { spec: { provider: "jibe.io/filesystem" } };
    const options = { namespace: "velero", name: "late", patch, contentType: "merge" } as const;
    await world.client.patch(veleroTypes.backupStorageLocation, options, world.scope);
    await world.untilPhase("backupStorageLocation", "late", ["Available"]);
  });
});
