import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { buildGoProgram, type Kubernetes } from "@jibe/testkit/peers";

const program = join(import.meta.dirname, "../../../packages/plugin-sdk/test/go/snapshotter-v2");

/** Volumes that are folders, by a plugin in Go that is a snapshotter of version 2 under jibe and of version 1 under Velero. */
export class GoVolumes {
  readonly #kubernetes: Kubernetes;
  readonly #root: string;

  private constructor(kubernetes: Kubernetes) {
    this.#kubernetes = kubernetes;
    this.#root = join(kubernetes.dir, "go-volumes");
  }

  /** Puts the plugin among the others, for whichever server starts next. */
  static async install(kubernetes: Kubernetes, pluginDir: string, scope: Scope): Promise<GoVolumes> {
    await copyFile(await buildGoProgram(program, scope), join(pluginDir, "go-folders"));
    return new GoVolumes(kubernetes);
  }

  /** A volume with one file, and a claim that is bound to it. */
  async deploy(place: string, name: string, content: string): Promise<void> {
    await mkdir(join(this.#root, "volumes", name), { recursive: true });
    await writeFile(join(this.#root, "volumes", name, "file"), content);
    const shared = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
    const csi = { driver: "go.example.io", volumeHandle: name };
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: place, name };
    await this.#kubernetes.apply([
      {
        apiVersion: "velero.io/v1",
        kind: "VolumeSnapshotLocation",
        metadata: { name: "go", namespace: "velero" },
        spec: { provider: "example.io/go-folders", config: { root: this.#root } },
      },
      {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name },
        spec: { ...shared, csi, claimRef, capacity: { storage: "1Mi" } },
      },
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name, namespace: place },
        spec: { ...shared, volumeName: name, resources: { requests: { storage: "1Mi" } } },
      },
    ]);
    const bound = JSON.stringify({ status: { phase: "Bound" } }); // no controller is here to do it
    for (const target of [`persistentvolume/${name}`, `persistentvolumeclaim/${name}`])
      await this.#kubernetes.kubectl([
        "patch",
        target,
        "-n",
        place,
        "--subresource=status",
        "--type=merge",
        "-p",
        bound,
      ]);
  }

  /** What the volume of a claim holds. */
  async contentOf(place: string, claim: string): Promise<string> {
    const at = (path: string) => ["-n", place, `-o=jsonpath=${path}`];
    const { stdout: volume } = await this.#kubernetes.kubectl(["get", "pvc", claim, ...at("{.spec.volumeName}")]);
    const { stdout: handle } = await this.#kubernetes.kubectl(["get", "pv", volume, ...at("{.spec.csi.volumeHandle}")]);
    if (handle === claim) throw new Error(`the claim ${place}/${claim} has the volume that was backed up`);
    return readFile(join(this.#root, "volumes", handle, "file"), "utf8");
  }

  /** The calls that the plugin noted. */
  async calls(): Promise<string[]> {
    return (await readFile(join(this.#root, "calls"), "utf8")).split("\n").map((line) => line.split(" ")[0] ?? "");
  }
}
