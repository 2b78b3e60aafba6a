import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { eventually, testScope } from "@jibe/testkit";
import { type PeerProcess, startPeerProcess, writeKubeconfig } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RealWorld, shop } from "./real-world.ts";

const program = join(import.meta.dirname, "../../../packages/jibe/bin/jibe.js");
const rbac = (kind: string, metadata: object, rest: object) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind,
  metadata,
  ...rest,
});
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
const access = [
  rbac(
    "Role",
    { name: "reader", namespace: "shop" },
    { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  ),
  rbac(
    "RoleBinding",
    { name: "reader", namespace: "shop" },
    { roleRef, subjects: [{ kind: "User", name: "someone" }] },
  ),
];

describe("an installation with the least rights", () => {
  const scope = testScope();
  const stack = new AsyncDisposableStack();
  const servers: PeerProcess[] = [];
  let started = 0;
  let world: RealWorld;
  let kubeconfig: string;
  beforeAll(async () => {
    world = stack.use(await RealWorld.start({}, scope));
    kubeconfig = join(world.kubernetes.dir, "server-kubeconfig");
    await world.kubernetes.apply([...shop, ...access]);
    const { kubectl } = world.kubernetes;
    const installed = await world.jibe("install", ...location());
    expect(installed).toMatchObject({ exitCode: 0, err: "" });
    const token = (await kubectl(["create", "token", "velero", "-n", "velero", "--duration=1h"])).stdout.trim();
    await writeKubeconfig(kubeconfig, { url: world.kubernetes.url, token, caCert: world.kubernetes.caCert });
  });
  afterAll(() => stack.disposeAsync());

  const start = async (...flags: string[]) => {
    const args = [
      program,
      "server",
      `--kubeconfig=${kubeconfig}`,
      "--namespace=velero",
      "--metrics-address=127.0.0.1:0",
    ];
    const plugins = `--plugin-dir=${world.kubernetes.dir}/no-plugins`;
    const dir = join(world.kubernetes.dir, `server-${started++}`);
    await mkdir(dir);
    const server = stack.use(
      await startPeerProcess({
        name: "jibe",
        program: process.execPath,
        args: [...args, "--allow-other-server", plugins, ...flags],
        dir,
        env: { HOME: dir, PATH: process.env["PATH"] ?? "" },
      }),
    );
    servers.push(server);
    return server;
  };
  const stop = async (server: PeerProcess) => {
    await server.terminate();
    servers.splice(servers.indexOf(server), 1);
  };
  const location = () => [
    "--provider=jibe.io/filesystem",
    "--bucket=bucket",
    `--backup-location-config=root=${world.kubernetes.dir}/store`,
  ];
  const leads = (server: PeerProcess) => server.logs().includes("server takes work");
  const can = async (...what: string[]) =>
    (
      await world.kubernetes.kubectl(["auth", "can-i", ...what, "--as=system:serviceaccount:velero:velero"])
    ).stdout.trim();

  test("applying it again changes nothing", async () => {
    const again = await world.jibe("install", ...location());
    expect(again).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("Deployment/velero: already exists, updated"),
    });
    const printed = await world.jibe("install", ...location(), "--dry-run", "-o", "json");
    const checked = await world.kubernetes.kubectl(
      ["apply", "--dry-run=server", "--server-side", "--force-conflicts", "-f", "-"],
      printed.out,
    );
    expect(checked).toMatchObject({ exitCode: 0 });
  });

  test("does not include deleting what users have", async () => {
    expect(await can("list", "secrets")).toBe("yes");
    expect(await can("create", "deployments.apps")).toBe("yes");
    expect(await can("delete", "deployments.apps", "-n", "shop")).toBe("no");
    expect(await can("delete", "secrets", "-n", "shop")).toBe("no");
    expect(await can("delete", "secrets", "-n", "velero")).toBe("no");
    expect(await can("delete", "backups.velero.io", "-n", "velero")).toBe("yes");
    expect(await can("impersonate", "users")).toBe("no");
  });

  test("that lacks its rights says which, and goes on when they are given", async () => {
    await world.kubernetes.kubectl(["delete", "clusterrolebinding", "jibe-velero"]);
    const server = await start("--log-level=info");
    const missing = 'the server may not list backups.velero.io in namespace \\"velero\\": grant it';
    await eventually(() => server.logs().includes(missing), { timeoutMs: 30_000 });
    expect(leads(server)).toBe(false);
    expect(await world.jibe("install", ...location())).toMatchObject({ exitCode: 0 });
    await eventually(() => leads(server), { timeoutMs: 30_000 });
    expect(server.logs().split(missing)).toHaveLength(2); // said once
    await stop(server);
  });

  test("suffices to back up and restore everything, and to delete", async () => {
    const server = await start();
    await eventually(() => leads(server), { timeoutMs: 30_000 });
    await eventually(async () => (await world.jibe("backup-location", "get")).out.includes("Available"));
    const backup = await world.jibe("backup", "create", "all", "--include-cluster-scoped-resources=*", "--wait");
    expect({ ...backup, log: backup.exitCode === 0 ? "" : server.logs() }).toMatchObject({ exitCode: 0 });
    const mapping = ["--include-namespaces=shop", "--namespace-mappings=shop:copy"];
    const restore = await world.jibe("restore", "create", "copy", "--from-backup=all", ...mapping, "--wait");
    expect({ ...restore, log: restore.exitCode === 0 ? "" : server.logs() }).toMatchObject({ exitCode: 0 });
    const copied = await world.kubernetes.kubectl(["get", "rolebinding", "reader", "-n", "copy", "-o=name"]);
    expect(copied.stdout).toContain("rolebinding");
    expect((await world.jibe("backup", "describe", "all", "--details")).err).toBe("");
    await world.jibe("backup", "delete", "all", "--confirm");
    await eventually(async () => !(await world.jibe("backup", "get")).out.includes("all "), { timeoutMs: 20_000 });
    expect(server.logs()).not.toMatch(/forbidden|PermissionDenied/i);
  });

  test("suffices to keep metrics to those who may get them", async () => {
    const server = await start("--secure-metrics");
    const [, address] = await eventually(() => /serving health and metrics" address="([^"]+)"/.exec(server.logs()), {
      timeoutMs: 30_000,
    });
    const { kubectl } = world.kubernetes;
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "scraper" };
    const subjects = [{ kind: "ServiceAccount", name: "prometheus", namespace: "shop" }];
    await world.kubernetes.apply([
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "prometheus", namespace: "shop" } },
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "curious", namespace: "shop" } },
      rbac("ClusterRole", { name: "scraper" }, { rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] }),
      rbac("ClusterRoleBinding", { name: "scraper" }, { roleRef, subjects }),
    ]);
    const tokenOf = async (account: string) =>
      (await kubectl(["create", "token", account, "-n", "shop", "--duration=1h"])).stdout.trim();
    const ask = async (token: string) => {
      const answer = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await ask(await tokenOf("prometheus"))).toMatchObject({
      status: 200,
      text: expect.stringContaining("velero_backup_total"),
    });
    expect(await ask(await tokenOf("curious"))).toEqual({ status: 403, text: "the token may not get /metrics\n" });
    expect(await ask("made-up")).toEqual({ status: 401, text: "the token is not valid\n" });
    await stop(server);
  });

  test("lets three servers contend: when the one that works is killed, another goes on", async () => {
    await start();
    await start();
    await eventually(() => servers.slice(1).every((server) => server.logs().includes("waiting for a lease")), {
      timeoutMs: 30_000,
    });
    expect(servers.filter(leads)).toHaveLength(1);
    const waiting = world.jibe("backup", "create", "during", "--include-namespaces=shop", "--wait");
    await eventually(async () => (await world.jibe("backup", "get")).out.includes("during"));
    await servers.find(leads)?.kill();
    expect(await waiting).toMatchObject({ exitCode: 0 });
    expect(await world.jibe("backup", "create", "after", "--include-namespaces=shop", "--wait")).toMatchObject({
      exitCode: 0,
    });
    expect(servers.slice(1).filter(leads)).toHaveLength(1);
  });
});
