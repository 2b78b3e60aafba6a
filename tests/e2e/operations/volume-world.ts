import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { KubeObject } from "@jibe/kube";
import { eventually, namespace } from "@jibe/testkit";
import { expect } from "vitest";
import { coreTypes, veleroTypes } from "../../../packages/jibe/src/api/index.ts";
import { ProductWorld, type RunningServer } from "../product/product-world.ts";

const volumeType = { ...coreTypes.pod, kind: "PersistentVolume", resource: "persistentvolumes", namespaced: false };
const claimType = { ...coreTypes.pod, kind: "PersistentVolumeClaim", resource: "persistentvolumeclaims" };

export interface StoredSnapshot {
  readonly spec: { readonly persistentVolumeName: string };
  readonly status: { readonly providerSnapshotID?: string; readonly phase: string };
}

/** A server with snapshot locations, and claims that are bound to volumes of any source. */
export class VolumeWorld implements AsyncDisposable {
  readonly product: ProductWorld;
  readonly server: RunningServer;

  private constructor(product: ProductWorld, server: RunningServer) {
    this.product = product;
    this.server = server;
  }

  /** `install` puts plugins into the folder that it is given, before the server looks. */
  static async start(install: (pluginDir: string) => Promise<void>): Promise<VolumeWorld> {
    await using stack = new AsyncDisposableStack();
    const product = stack.use(await ProductWorld.start({ simulateWorkloads: true }));
    await install(join(product.dir, "plugins"));
    const server = stack.use(await product.startServer({ flags: ["--plugin-call-timeout=10s"] }));
    await product.addLocation();
    await product.untilPhase("backupStorageLocation", "default", ["Available"]);
    stack.move(); // owned by the world from here on
    return new VolumeWorld(product, server);
  }

  get dir(): string {
    return this.product.dir;
  }

  async snapshotLocation(name: string, provider: string, config: object): Promise<void> {
    await this.product.create(veleroTypes.volumeSnapshotLocation, {
      apiVersion: "velero.io/v1",
      kind: "VolumeSnapshotLocation",
      metadata: { name, namespace: "velero" },
      spec: { provider, config },
    });
  }

  /** A namespace with a claim that is bound to a volume of this source. */
  async claimed(place: string, name: string, { source, labels }: { source: object; labels?: object }): Promise<void> {
    await this.product.create(coreTypes.namespace, namespace(place)).catch(() => undefined); // a second claim of the same place
    const shared = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
    await this.product.create(volumeType, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name, ...(labels ? { labels } : {}) },
      spec: { ...shared, ...source, capacity: { storage: "1Mi" } },
    });
    const spec = { ...shared, volumeName: name, resources: { requests: { storage: "1Mi" } } };
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace: place }, spec };
    await this.product.create(claimType, claim);
    await this.#untilBound(place, name);
  }

  async backUp(place: string, spec: object = {}): Promise<void> {
    await this.product.create(veleroTypes.backup, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name: place, namespace: "velero" },
      spec: { includedNamespaces: [place], ...spec },
    });
  }

  /** Restores into another namespace and gives the volume that the claim there got. */
  async restoredVolume(place: string, claim: string): Promise<KubeObject> {
    const target = `copy-${place}`;
    await this.product.create(veleroTypes.restore, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: place, namespace: "velero" },
      spec: { backupName: place, namespaceMapping: { [place]: target } },
    });
    const { status } = await this.product.untilEnded("restore", place);
    expect(status?.["phase"], JSON.stringify(status)).toBe("Completed");
    await this.#untilBound(target, claim);
    const ofTarget = (volume: KubeObject) =>
      (volume["spec"] as { claimRef?: { namespace?: string } }).claimRef?.namespace === target;
    const [volume, ...more] = (await this.#listed(volumeType)).filter(ofTarget);
    expect(more).toEqual([]);
    return volume as KubeObject;
  }

  async storedSnapshots(place: string): Promise<readonly StoredSnapshot[]> {
    return this.storedFile(place, "volumesnapshots");
  }

  /** A gzipped JSON file of a backup. */
  async storedFile<T>(place: string, kind: string): Promise<T> {
    const file = join(this.dir, "store/bucket/backups", place, `${place}-${kind}.json.gz`);
    return JSON.parse(gunzipSync(await readFile(file)).toString()) as T;
  }

  #untilBound(place: string, name: string): Promise<KubeObject> {
    return eventually(
      async () => {
        const claim = (await this.#listed(claimType, place)).find(({ metadata }) => metadata.name === name);
        if (claim && (claim["status"] as { phase?: string } | undefined)?.phase === "Bound") return claim;
        throw new Error(`claim ${place}/${name} is not bound: ${JSON.stringify(claim)}`);
      },
      { timeoutMs: 20_000 },
    );
  }

  async #listed(type: typeof claimType, place?: string): Promise<KubeObject[]> {
    const { client, scope } = this.product;
    const { items } = await client.list(type, place === undefined ? {} : { namespace: place }, scope);
    return items as unknown as KubeObject[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.product[Symbol.asyncDispose]();
  }
}
