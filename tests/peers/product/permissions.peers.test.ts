import { join } from "node:path";
import { eventually, testScope } from "@jibe/testkit";
import { writeKubeconfig } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandRun, startCaptured } from "../../e2e/product/captured-process.ts";
import { patiently } from "../../e2e/product/product-world.ts";
import { RealWorld, takesWork } from "./real-world.ts";

const installed = ["install", "--provider=jibe.io/filesystem", "--bucket=bucket"];

describe("rights that are missing", { timeout: 180_000 }, () => {
  const scope = testScope();
  const stack = new AsyncDisposableStack();
  let world: RealWorld;
  beforeAll(async () => {
    world = stack.use(await RealWorld.start({}, scope));
    await world.install();
    await world.jibe(...installed, `--backup-location-config=root=${world.kubernetes.dir}/store`);
    await world.jibe("backup", "create", "nightly");
  });
  afterAll(() => stack.disposeAsync());

  /** A kubeconfig of one of the accounts of the server's namespace. */
  const kubeconfigOf = async (account: string) => {
    const { kubectl, url, caCert, dir } = world.kubernetes;
    const token = (await kubectl(["create", "token", account, "-n", "velero", "--duration=1h"])).stdout.trim();
    const path = join(dir, `kubeconfig-${account}`);
    await writeKubeconfig(path, { url, token, caCert });
    return path;
  };

  describe("to someone at a command line", () => {
    let run: (...args: string[]) => Promise<CommandRun>;
    beforeAll(async () => {
      await world.kubernetes.kubectl(["create", "serviceaccount", "intern", "-n", "velero"]);
      const kubeconfig = await kubeconfigOf("intern");
      const env = { HOME: world.kubernetes.dir, PATH: process.env["PATH"] };
      run = (...args) => startCaptured([...args, `--kubeconfig=${kubeconfig}`], { env }).ended;
    });

    const inNamespace: Record<string, string> = {
      "backup get": "list backups.velero.io",
      "backup get nightly": "get backups.velero.io",
      "backup describe nightly --details": "get backups.velero.io",
      "backup create more --wait": "create backups.velero.io",
      "backup create --from-schedule weekly": "get schedules.velero.io",
      "backup logs nightly": "get backups.velero.io",
      "backup download nightly": "get backups.velero.io",
      "backup watch nightly": "get backups.velero.io",
      "backup cancel nightly": "get backups.velero.io",
      "backup delete nightly --confirm": "get backups.velero.io",
      "restore create --from-backup nightly": "get backups.velero.io",
      "restore get": "list restores.velero.io",
      "restore logs r": "get restores.velero.io",
      "restore delete --all --confirm": "list restores.velero.io",
      "schedule create weekly --schedule=@weekly": "create schedules.velero.io",
      "schedule pause weekly": "get schedules.velero.io",
      "backup-location get": "list backupstoragelocations.velero.io",
      "backup-location create more --provider=x --bucket=y": "create backupstoragelocations.velero.io",
      "snapshot-location get": "list volumesnapshotlocations.velero.io",
      "plugin get": "create serverstatusrequests.velero.io",
      "plugin add example.io/plugin:1 --confirm": "get deployments.apps",
      "repo get": "list backuprepositories.velero.io",
    };
    for (const [line, right] of Object.entries(inNamespace)) {
      test(`jibe ${line} says that it needs to ${right}`, async () => {
        const { exitCode, err } = await run(...line.split(" "));
        expect(exitCode).toBe(1);
        expect(err).toContain('"system:serviceaccount:velero:intern" cannot');
        expect(err).toContain(`Ask an administrator of the cluster for the right to ${right} in namespace "velero".`);
      });
    }

    const inCluster: Record<string, string> = {
      [`${installed.join(" ")}`]: "create customresourcedefinitions.apiextensions.k8s.io",
      "uninstall --force": "delete clusterrolebindings.rbac.authorization.k8s.io",
    };
    for (const [line, right] of Object.entries(inCluster)) {
      test(`jibe ${line} says that it needs to ${right}`, async () => {
        const { exitCode, err } = await run(...line.split(" "));
        expect(exitCode).toBe(1);
        expect(err).toContain(`for the right to ${right} in the whole cluster.`);
      });
    }

    test("jibe debug collects what it may, and says once for each part what it may not", async () => {
      const path = join(world.kubernetes.dir, "bundle.tar.gz");
      const { exitCode, out, err } = await run("debug", `--output=${path}`);
      expect(exitCode).toBe(0);
      expect(out).toContain(`Wrote ${path}`);
      expect(err.match(/^cannot collect resources\/backups\.json: cannot list backups.velero.io.*$/gm)).toHaveLength(1);
    });
  });

  test("to a server that runs are said once, and it goes on where it was when they are given back", async () => {
    const kubeconfig = await kubeconfigOf("velero");
    const server = world.server(`--kubeconfig=${kubeconfig}`, "--allow-other-server");
    try {
      await takesWork(server);
      const { kubectl } = world.kubernetes;
      const binding = (await kubectl(["get", "clusterrolebinding", "jibe-velero", "-o", "json"])).stdout;
      await kubectl(["delete", "clusterrolebinding", "jibe-velero"]);
      await world.jibe("backup", "create", "meanwhile", "--include-namespaces=default");
      const missing = 'the server may not list backups.velero.io in namespace \\"velero\\": grant it';
      await eventually(() => server.output().includes(missing), patiently);
      const url = /serving health and metrics" address="([^"]+)"/.exec(server.output())?.[1];
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      await kubectl(["apply", "-f", "-"], binding);
      await eventually(async () => /^meanwhile +Completed/m.test((await world.jibe("backup", "get")).out), patiently);
      await eventually(async () => (await fetch(`${url}/readyz`)).status === 200, patiently);
      const lines = server.output().split("\n");
      for (const said of [missing, "cannot renew a lease", 'cannot get backups.velero.io \\"meanwhile\\"'])
        expect(lines.filter((line) => line.includes(said)).length).toBeLessThanOrEqual(1);
    } finally {
      server.interrupt();
      await server.ended;
    }
  });
});
