import { rm } from "node:fs/promises";
import { AppError, type Scope } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import type { Kubernetes } from "@jibe/testkit/peers";

const namespace = "velero";

/** Points the locations `default` at folders below `root` and waits until the running server finds them usable. */
export async function useStorage(kubernetes: Kubernetes, root: string, scope: Scope): Promise<void> {
  await rm(root, { recursive: true, force: true });
  const config = { root };
  const location = (kind: string, spec: object) => ({
    apiVersion: "velero.io/v1",
    kind,
    metadata: { name: "default", namespace },
    spec,
  });
  const provider = "example.io/filesystem";
  await kubernetes.kubectl(["delete", "backupstoragelocation,volumesnapshotlocation", "--all", "-n", namespace]);
  await kubernetes.apply([
    location("BackupStorageLocation", { provider, default: true, objectStorage: { bucket: "bucket" }, config }),
    location("VolumeSnapshotLocation", { provider: "example.io/volumes", config: { root: `${root}/volumes` } }),
  ]);
  await eventually(async () => (await phaseOf(kubernetes, "backupstoragelocation", "default")) === "Available", {
    timeoutMs: 60_000,
    intervalMs: 200,
    signal: scope.signal,
  });
}

async function phaseOf(kubernetes: Kubernetes, kind: string, name: string): Promise<string> {
  return (await kubernetes.kubectl(["get", kind, name, "-n", namespace, "-o=jsonpath={.status.phase}"])).stdout;
}

const ended = /^(Completed|PartiallyFailed|Failed|FailedValidation)$/;

/** Creates a Backup or Restore and returns it as it is when its server is done with it. */
export async function runToEnd(
  kubernetes: Kubernetes,
  { kind, name, spec }: { kind: "Backup" | "Restore"; name: string; spec: object },
  scope: Scope,
): Promise<Readonly<Record<string, unknown>>> {
  const object = { apiVersion: "velero.io/v1", kind, metadata: { name, namespace }, spec };
  const created = await kubernetes.kubectl(["create", "-f", "-"], JSON.stringify(object));
  if (created.exitCode !== 0) throw new AppError("InvalidArgument", `cannot create ${name}: ${created.stderr}`);
  const read = async () =>
    JSON.parse((await kubernetes.kubectl(["get", kind, name, "-n", namespace, "-o=json"])).stdout);
  return eventually(
    async () => {
      const current = (await read()) as { readonly status?: { readonly phase?: string } };
      if (ended.test(current.status?.phase ?? "")) return current;
      throw new Error(`${kind} ${name} has not ended: ${JSON.stringify(current.status)}`);
    },
    { timeoutMs: 40_000, intervalMs: 150, signal: scope.signal },
  );
}
