import { rm } from "node:fs/promises";
import { AppError, type Scope } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import { httpCall, type Kubernetes } from "@jibe/testkit/peers";

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
  const isAvailable = async () =>
    (await readResource(kubernetes, "backupstoragelocations/default", scope)).status?.phase === "Available";
  await eventually(isAvailable, { timeoutMs: 60_000, intervalMs: 200, signal: scope.signal });
}

type Resource = Readonly<Record<string, unknown>> & { readonly status?: { readonly phase?: string } };

// Asked for many times a second, and so without a program for each time.
async function readResource(kubernetes: Kubernetes, path: string, scope: Scope): Promise<Resource> {
  const { token, caCert } = kubernetes;
  const url = `${kubernetes.url}/apis/velero.io/v1/namespaces/${namespace}/${path}`;
  return JSON.parse((await httpCall({ url, token, caCert }, scope)).body) as Resource;
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
  return eventually(
    async () => {
      const current = await readResource(kubernetes, `${kind.toLowerCase()}s/${name}`, scope);
      if (ended.test(current.status?.phase ?? "")) return current;
      throw new Error(`${kind} ${name} has not ended: ${JSON.stringify(current.status)}`);
    },
    { timeoutMs: 90_000, intervalMs: 150, signal: scope.signal },
  );
}
