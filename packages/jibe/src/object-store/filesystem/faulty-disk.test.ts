import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@jibe/base";
import { type FaultPlan, faulty, type TempDir, tempDir, testScope } from "@jibe/testkit";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type StoreFault, verifyUnderFaults } from "../verify-under-faults.ts";
import { openFilesystemStore } from "./filesystem-store.ts";

let folder: TempDir;
let misbehave: ((file: FileHandle) => FileHandle) | undefined;
let badFiles = 0;

beforeEach(async () => {
  await folder?.[Symbol.asyncDispose]();
  folder = await tempDir("disk");
  misbehave = undefined;
});
afterAll(() => folder[Symbol.asyncDispose]());

/** A store on a disk that does to each file what the test says. */
function openStore() {
  const openFile: typeof open = async (...args) => {
    const file = await open(...args);
    if (!misbehave) return file;
    badFiles++;
    return misbehave(file);
  };
  return openFilesystemStore({ root: folder.path, bucket: "b", prefix: "", location: "default", openFile });
}

const error = (code: string) => Object.assign(new Error(`${code}: simulated`), { code });

/** The handle fails as planned. */
const failing = (plan: FaultPlan<FileHandle>) => () => {
  misbehave = (file) => faulty(file, plan);
};
const fromCall = (first: number, code: string) => (call: number) =>
  call >= first ? { error: error(code) } : undefined;
const slowly = () => ({ delay: { ms: 20, clock: systemClock } });

/** A disk that takes and gives a third of what is asked for, as the system calls may. */
function partly(file: FileHandle): FileHandle {
  const third = (length: number) => Math.ceil(length / 3);
  const part = {
    write: (bytes: Uint8Array, at: number, length: number) => file.write(bytes, at, third(length)),
    read: (bytes: Buffer, at: number, length: number) => file.read(bytes, at, third(length), null),
    sync: () => file.sync(),
    [Symbol.asyncDispose]: () => file.close(),
  };
  return part as Partial<FileHandle> as FileHandle;
}

const faults: Record<string, StoreFault> = {
  "a disk that fills up": { begin: failing({ write: fromCall(3, "ENOSPC") }), put: "Unavailable", get: "done" },
  "a quota that is used up at the last moment": {
    begin: failing({ sync: fromCall(1, "EDQUOT") }),
    put: "Unavailable",
    get: "done",
  },
  "a disk that breaks in the middle": {
    begin: failing({ write: fromCall(3, "EIO"), read: fromCall(3, "EIO") }),
    put: "Unavailable",
    get: "Unavailable",
  },
  "a disk that takes and gives only a part at a time": {
    begin: () => {
      misbehave = partly;
    },
    put: "done",
    get: "done",
  },
  "a slow disk": { begin: failing({ write: slowly, read: slowly }), put: "done", get: "done" },
  "a share that was lost": {
    begin: failing({ write: fromCall(1, "ESTALE"), read: fromCall(1, "ESTALE") }),
    put: "Unavailable",
    get: "Unavailable",
  },
};

verifyUnderFaults("the file system store on a bad disk", {
  open: openStore,
  end: () => {
    misbehave = undefined;
  },
  met: () => badFiles,
  faults,
  objectBytes: 4 * 1024 * 1024,
});

test("a full disk is said plainly, and no draft is left on it", async () => {
  using scope = testScope();
  const store = await openStore();
  failing({ write: fromCall(2, "ENOSPC") })();
  const body = async function* () {
    yield Buffer.from("half of");
    yield Buffer.from("the content");
  };
  await expect(store.put("a/b", body, scope)).rejects.toThrow('cannot store "a/b": the disk is full');
  expect(await readdir(join(folder.path, "b", ".jibe-drafts"))).toEqual([]);
});
