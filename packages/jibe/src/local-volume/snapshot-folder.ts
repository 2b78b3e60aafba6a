import { randomBytes } from "node:crypto";
import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "@jibe/base";
import { fileError, fileErrorCode } from "./file-error.ts";

/**
 * New: waits for its turn. InProgress: is being copied. Completed: can be restored. Failed and Canceled: cannot, and `error` says
 * why. Only the process named by `owner` leaves the first two; when it has ended, they mean Failed.
 */
export type SnapshotPhase = "New" | "InProgress" | "Completed" | "Failed" | "Canceled";

/** What a snapshot's `state.json` holds: everything that another process has to know. */
export interface SnapshotState {
  readonly id: string;
  /** The volume's folder, as the node sees it. */
  readonly volumeId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly owner: string;
  readonly phase: SnapshotPhase;
  readonly error?: string;
  readonly created: string;
  readonly started?: string;
  readonly updated: string;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly skipped: number;
}

const validId = /^snap-[0-9a-z]+(-[0-9a-z]+)*$/;

/** The files of one snapshot. The content has its final name only once it is complete and on disk. */
export class SnapshotFolder {
  readonly path: string;
  readonly content: string;
  readonly partialContent: string;
  readonly #state: string;
  readonly #cancel: string;

  constructor(root: string, id: string) {
    if (!validId.test(id)) throw new AppError("InvalidArgument", `invalid snapshot ID ${JSON.stringify(id)}`);
    this.path = join(root, id);
    this.content = join(this.path, "content");
    this.partialContent = join(this.path, "content.partial");
    this.#state = join(this.path, "state.json");
    this.#cancel = join(this.path, "cancel");
  }

  async create(state: SnapshotState): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
      throw fileError(`make the snapshot's folder ${this.path}`, cause);
    });
    await this.save(state);
  }

  async state(): Promise<SnapshotState | undefined> {
    try {
      return JSON.parse(await readFile(this.#state, "utf8")) as SnapshotState;
    } catch (cause) {
      if (fileErrorCode(cause) === "ENOENT") return undefined;
      throw fileErrorCode(cause) === ""
        ? new AppError("DataLoss", `the state of the snapshot in ${this.path} cannot be read`, { cause })
        : fileError(`read the state of the snapshot in ${this.path}`, cause);
    }
  }

  /** Replaces the state as a whole. */
  async save(state: SnapshotState): Promise<void> {
    const draft = `${this.#state}.${randomBytes(4).toString("hex")}`;
    try {
      await using file = await open(draft, "wx", 0o600);
      await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
      await file.sync();
      await rename(draft, this.#state);
    } catch (cause) {
      throw fileError(`write the state of the snapshot in ${this.path}`, cause);
    }
  }

  async publishContent(): Promise<void> {
    await rename(this.partialContent, this.content);
    await using folder = await open(this.path, "r");
    await folder.sync();
  }

  async dropPartialContent(): Promise<void> {
    await rm(this.partialContent, { recursive: true, force: true });
  }

  async requestCancel(): Promise<void> {
    await writeFile(this.#cancel, "").catch((cause: unknown) => {
      throw fileError(`cancel the snapshot in ${this.path}`, cause);
    });
  }

  isCancelRequested(): Promise<boolean> {
    return access(this.#cancel).then(
      () => true,
      () => false,
    );
  }

  /** At once invisible, then gone. */
  async remove(): Promise<void> {
    const doomed = join(dirname(this.path), `${doomedPrefix}${randomBytes(6).toString("hex")}`);
    try {
      await rename(this.path, doomed);
      await sweep(dirname(this.path));
    } catch (cause) {
      if (fileErrorCode(cause) !== "ENOENT") throw fileError(`delete the snapshot in ${this.path}`, cause);
    }
  }
}

const doomedPrefix = ".deleting-";

/** Deletes what was renamed for it, also what a process that was killed did not get done. */
async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(doomedPrefix)) await rm(join(root, name), { recursive: true, force: true });
  }
}
