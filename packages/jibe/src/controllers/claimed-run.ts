import { AppError, hasCode, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { annotations } from "../api/names.ts";
import type { MergePatch, Resources } from "./resources.ts";

/**
 * A backup or restore that this server has taken. Taking it is a guarded write, so of two servers only one succeeds; every later
 * write tests that it is still ours, so a server that lost its lease cannot spoil what the next one does.
 */
export class ClaimedRun<T extends KubernetesObject> {
  readonly #resources: Resources<T>;
  readonly #name: string;
  readonly #holder: string;
  readonly attempt: number;

  private constructor(resources: Resources<T>, name: string, holder: string, attempt: number) {
    this.#resources = resources;
    this.#name = name;
    this.#holder = holder;
    this.attempt = attempt;
  }

  /** Takes the object and writes `patch` with the same call. Gives nothing when someone else wrote it first. */
  static async take<T extends KubernetesObject>(
    resources: Resources<T>,
    read: T,
    { holder, patch }: { readonly holder: string; readonly patch: MergePatch },
    scope: Scope,
  ): Promise<{ run: ClaimedRun<T>; object: T } | undefined> {
    const attempt = attemptOf(read) + 1;
    const metadata = (patch["metadata"] ?? {}) as { annotations?: Record<string, string> };
    const marked = {
      ...metadata.annotations,
      [annotations.runHolder]: holder,
      [annotations.runAttempt]: String(attempt),
    };
    try {
      const whole = { ...patch, metadata: { ...metadata, annotations: marked } };
      const object = await resources.patchUnchanged(read, whole, scope);
      return { run: new ClaimedRun(resources, read.metadata.name, holder, attempt), object };
    } catch (error) {
      if (hasCode(error, "Conflict") || hasCode(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** Goes on with a run that has its files in the store already: another server may have begun it. Same attempt, new holder. */
  static async adopt<T extends KubernetesObject>(
    resources: Resources<T>,
    read: T,
    { holder }: { readonly holder: string },
    scope: Scope,
  ): Promise<ClaimedRun<T> | undefined> {
    const attempt = attemptOf(read);
    if (holderOf(read) !== holder || attempt === 0) {
      const marked = { [annotations.runHolder]: holder, [annotations.runAttempt]: String(Math.max(1, attempt)) };
      try {
        await resources.patchUnchanged(read, { metadata: { annotations: marked } }, scope);
      } catch (error) {
        if (hasCode(error, "Conflict") || hasCode(error, "NotFound")) return undefined;
        throw error;
      }
    }
    return new ClaimedRun(resources, read.metadata.name, holder, Math.max(1, attempt));
  }

  /**
   * Sets fields of the status; `undefined` removes one. With a new phase goes what the run was at. Fails with `Conflict` when the
   * run is no longer ours.
   */
  patchStatus(status: Readonly<Record<string, unknown>>, scope: Scope): Promise<T> {
    const place = "phase" in status ? setting(pathOf(annotations.runPlace), undefined) : [];
    return this.#write([...settingStatus(status), ...place], scope);
  }

  /** As `patchStatus`, while the run goes on; `place` tells people what it is at. */
  patchProgress(status: Readonly<Record<string, unknown>>, place: string, scope: Scope): Promise<T> {
    return this.#write([...settingStatus(status), ...setting(pathOf(annotations.runPlace), place)], scope);
  }

  async #write(changes: readonly MergePatch[], scope: Scope): Promise<T> {
    const operations = [
      { op: "test", path: pathOf(annotations.runHolder), value: this.#holder },
      { op: "test", path: pathOf(annotations.runAttempt), value: String(this.attempt) },
      ...changes,
    ];
    try {
      return await this.#resources.patchTested(this.#name, operations, scope);
    } catch (error) {
      if (!hasCode(error, "InvalidArgument")) throw error;
      const now = await this.#resources.find(this.#name, scope);
      if (now && holderOf(now) === this.#holder && attemptOf(now) === this.attempt) throw error;
      throw new AppError("Conflict", `${JSON.stringify(this.#name)} was taken over by another server`, {
        cause: error,
      });
    }
  }
}

const pathOf = (annotation: string) => `/metadata/annotations/${annotation.replaceAll("/", "~1")}`;

const settingStatus = (status: Readonly<Record<string, unknown>>): MergePatch[] =>
  Object.entries(status).flatMap(([key, value]) => setting(`/status/${key}`, value));

/** Adding what is there replaces it; so a removal is an addition first, which cannot fail. */
function setting(path: string, value: unknown): MergePatch[] {
  if (value !== undefined) return [{ op: "add", path, value }];
  return [
    { op: "add", path, value: null },
    { op: "remove", path },
  ];
}

/** Who holds the run, if anyone does. */
export function holderOf(object: KubernetesObject): string | undefined {
  return object.metadata.annotations?.[annotations.runHolder];
}

/** How often the run was started so far. */
export function attemptOf(object: KubernetesObject): number {
  return Number(object.metadata.annotations?.[annotations.runAttempt] ?? 0);
}
