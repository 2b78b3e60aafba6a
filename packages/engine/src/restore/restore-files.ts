import { messageOf, type Scope } from "@jibe/base";
import { gzippedJson, gzippedText } from "../layout/go-json.ts";
import { restoreKeys } from "../layout/object-keys.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RestoreOperation } from "../operations/item-operation.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { ScratchFile } from "../ports/scratch.ts";
import type { RunLog } from "../run-log/run-log.ts";
import type { RestoreYield } from "./restore-contents.ts";
import type { RestoredVolume } from "./volume-rules.ts";

export interface RestoreFiles {
  readonly name: string;
  readonly runLog: RunLog;
  readonly ledger: Ledger;
  readonly operations: readonly RestoreOperation[];
  readonly left: Pick<RestoreYield, "items" | "volumes" | "made">;
}

/**
 * Writes a restore's files in Velero's order. What is in the cluster counts more than its account: a file that cannot be written is
 * logged, and only a lost log is an error of the restore.
 */
export async function uploadRestoreFiles(files: RestoreFiles, store: ObjectStore, scope: Scope): Promise<void> {
  const keys = restoreKeys(files.name);
  const attempt = async (what: string, upload: () => Promise<void>): Promise<void> => {
    try {
      await upload();
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.error("cannot upload a restore's file", { restore: files.name, file: what, error: messageOf(error) });
      if (what === "log")
        files.ledger.error({ message: `error uploading log file to backup storage: ${messageOf(error)}` });
    }
  };
  const putBytes = async (key: string, content: Promise<Uint8Array>) => {
    const bytes = await content;
    await store.put(key, () => once(bytes), scope);
  };
  const putJson = (key: string, content: unknown) => putBytes(key, gzippedJson(content));
  const putFile = async (key: string, file: Promise<ScratchFile>) => {
    const done = await file;
    await store.put(key, () => done.stream(scope), scope);
  };
  await attempt("log", () => putFile(keys.log, files.runLog.finish()));
  await attempt("results", () => putJson(keys.results, files.ledger.results()));
  await attempt("resource list", () => putBytes(keys.resourceList, gzippedText(files.left.items.resourceListJson())));
  await attempt("item operations", () => putJson(keys.itemOperations, files.operations));
  await attempt("volume info", async () => putJson(keys.volumeInfo, await volumeInfosOf(files.left)));
  await attempt("ledger", () => putFile(keys.ledger, files.ledger.finish()));
}

/** Volumes that were made and could not be used are listed besides: should this restore be run again, it finds them here. */
async function volumeInfosOf({ items, volumes, made }: RestoreFiles["left"]): Promise<readonly object[]> {
  const isUsed = (pvName: string) => items.find("persistentvolumes", "", pvName)?.exists === true;
  return [...volumes.map(volumeInfoFrom), ...(await made.unused(isUsed))];
}

function volumeInfoFrom({ pvName, pvcName, pvcNamespace, snapshot }: RestoredVolume): object {
  return {
    ...(pvcName === "" ? {} : { pvcName, pvcNamespace }),
    pvName,
    restoreMethod: "NativeSnapshot",
    snapshotDataMoved: false,
    nativeSnapshotInfo: {
      snapshotHandle: snapshot.providerSnapshotID,
      volumeType: snapshot.volumeType,
      volumeAZ: snapshot.volumeAZ,
      iops: String(snapshot.volumeIOPS ?? 0),
      Phase: "",
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
