import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  invalidOperationId,
  type OperationProgress,
  operationDone,
  operationFailed,
  operationRunning,
} from "@jibe/plugin-sdk";

/** What is known about an operation. It is kept in a file, because progress is asked by another process than started it. */
export interface Operation {
  readonly id: string;
  readonly started: string;
  readonly steps: number;
  readonly done: number;
  readonly canceled: boolean;
}

/** The operations below one folder. */
export class OperationFiles {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async start(id: string, steps: number): Promise<Operation> {
    const operation = { id, started: new Date().toISOString(), steps, done: 0, canceled: false };
    await this.#save(operation);
    return operation;
  }

  /** Takes the operation on by one step and says how far it is. Each question moves it: there is no process to do it. */
  async advance(id: string): Promise<OperationProgress> {
    const { canceled, steps, started, done } = await this.#load(id);
    const details = { started: new Date(started), updated: new Date(), nTotal: steps, operationUnits: "steps" };
    if (canceled) return operationFailed("canceled", { ...details, nCompleted: done });
    const next = Math.min(done + 1, steps);
    await this.#save({ id, started, steps, canceled, done: next });
    return next === steps
      ? operationDone({ ...details, nCompleted: next })
      : operationRunning({ ...details, nCompleted: next });
  }

  async cancel(id: string): Promise<void> {
    await this.#save({ ...(await this.#load(id)), canceled: true });
  }

  async #load(id: string): Promise<Operation> {
    const text = await readFile(this.#file(id), "utf8").catch(() => {
      throw invalidOperationId(id);
    });
    return JSON.parse(text) as Operation;
  }

  async #save(operation: Operation): Promise<void> {
    await mkdir(this.#dir, { recursive: true });
    const file = this.#file(operation.id);
    await writeFile(`${file}.new`, JSON.stringify(operation));
    await rename(`${file}.new`, file);
  }

  #file(id: string): string {
    return join(this.#dir, `${createHash("sha256").update(id).digest("hex").slice(0, 32)}.json`);
  }
}
