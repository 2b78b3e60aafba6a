import { randomBytes } from "node:crypto";
import { AppError, systemClock } from "@jibe/base";
import type { EventsStep, Outcome, RequestStep, Step, WatchStep } from "./contract-case.ts";
import { type Access, type Answer, ContractClient } from "./contract-client.ts";
import { normalize } from "./normalize.ts";

const patchTypes: Readonly<Record<string, string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

const waitMs = 30_000;

/** Runs the steps of a case on a cluster, in a namespace of its own, and returns what each compared step gave. */
export async function runCase(access: Access, steps: readonly Step[]): Promise<Outcome[]> {
  using client = new ContractClient(access);
  const run = new CaseRun(client);
  await client.send({
    method: "POST",
    path: "/api/v1/namespaces",
    body: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: run.id } }),
  });
  const outcomes: Outcome[] = [];
  try {
    for (const step of steps) {
      const outcome = await run.step(step);
      if (outcome) outcomes.push(outcome);
    }
  } finally {
    run.close();
  }
  return outcomes;
}

interface OpenWatch {
  readonly lines: AsyncGenerator<string>;
  readonly buffered: Promise<IteratorResult<string>>;
}

class CaseRun {
  readonly id = `c${randomBytes(5).toString("hex")}`;
  readonly #client: ContractClient;
  readonly #saved = new Map<string, string>();
  readonly #watches = new Map<string, OpenWatch>();

  constructor(client: ContractClient) {
    this.#client = client;
  }

  async step(step: Step): Promise<Outcome | undefined> {
    if ("watch" in step) return this.#watch(step);
    if ("events" in step) return await this.#events(step);
    const outcome = await this.#request(step);
    return step.ignored ? undefined : outcome;
  }

  close(): void {
    for (const { lines } of this.#watches.values()) void lines.return(undefined).catch(() => {});
  }

  async #request(step: RequestStep): Promise<Outcome> {
    const deadline = systemClock.monotonicMs() + waitMs;
    for (;;) {
      const answer = await this.#send(step);
      const body = parsed(answer);
      if (isWanted(step, answer.code, normalize(body, this.id), body)) {
        this.#save(step, body);
        return outcomeOf(answer, body, this.id);
      }
      if (systemClock.monotonicMs() > deadline) {
        throw new AppError(
          "DeadlineExceeded",
          `${step.send} never gave what was expected; last: ${answer.text.slice(0, 2000)}`,
        );
      }
      await systemClock.sleep(30, { signal: AbortSignal.timeout(waitMs) });
    }
  }

  #send(step: RequestStep): Promise<Answer> {
    const [method = "", path = ""] = step.send.split(" ");
    const body = step.text ?? (step.body === undefined ? undefined : JSON.stringify(step.body));
    return this.#client.send({
      method,
      path: this.#filled(path),
      body: body === undefined ? undefined : this.#filled(body),
      contentType: step.as === undefined ? undefined : (patchTypes[step.as] ?? step.as),
      accept: step.accept,
    });
  }

  #filled(text: string): string {
    let filled = text.replaceAll(/\bID\b/g, this.id);
    for (const [name, value] of this.#saved) filled = filled.replaceAll(`$${name}`, value);
    return filled;
  }

  #save({ save = {} }: RequestStep, body: unknown): void {
    for (const [name, path] of Object.entries(save)) {
      const value = path
        .split(".")
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], body);
      this.#saved.set(name, String(value));
    }
  }

  async #watch({ watch, path }: WatchStep): Promise<undefined> {
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    const lines = this.#client.lines(this.#filled(path), resolve);
    const buffered = lines.next();
    buffered.catch(() => resolve());
    this.#watches.set(watch, { lines, buffered });
    await opened;
  }

  async #events({ events, count, ends }: EventsStep): Promise<Outcome> {
    const open = this.#watches.get(events);
    if (!open) throw new AppError("InvalidArgument", `no watch named ${events}`);
    const found: unknown[] = [];
    let next = open.buffered;
    while (found.length < count) {
      const { value, done } = await withTimeout(next, `event ${found.length + 1} of ${events}`);
      if (done) break;
      if (value !== "") found.push(normalize(JSON.parse(value), this.id));
      next = nextLine(open.lines);
    }
    this.#watches.set(events, { lines: open.lines, buffered: next });
    if (!ends) return { events: found };
    const { done = false } = await withTimeout(next, `the end of ${events}`);
    return { events: found, ended: done };
  }
}

/** The next line, asked for ahead; that nobody waits for it any more when a case ends is no failure. */
function nextLine(lines: AsyncGenerator<string>): Promise<IteratorResult<string>> {
  const line = lines.next();
  line.catch(() => {});
  return line;
}

async function withTimeout<T>(promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  using _timer = systemClock.after(waitMs, () => reject(new AppError("DeadlineExceeded", `${what} did not come`)));
  return await Promise.race([promise, late]);
}

function parsed({ text, contentType }: Answer): unknown {
  if (!contentType.startsWith("application/json")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function outcomeOf({ code, warnings, contentType }: Answer, body: unknown, id: string): Outcome {
  return {
    code,
    ...(contentType === "application/json" ? {} : { contentType }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map((text) => String(normalize(text, id))) }),
    body: normalize(body, id),
  };
}

function isWanted({ until }: RequestStep, code: number, normalized: unknown, body: unknown): boolean {
  if (!until) return true;
  if (until.code !== undefined && until.code !== code) return false;
  return until.body === undefined || contains(normalized, until.body) || contains(body, until.body);
}

/** Whether a value has every part of another; each element of a list must be contained in some element. */
export function contains(value: unknown, part: unknown): boolean {
  if (Array.isArray(part)) {
    return Array.isArray(value) && part.every((wanted) => value.some((item) => contains(item, wanted)));
  }
  if (typeof part !== "object" || part === null) return value === part;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(part).every(([key, wanted]) => contains((value as Record<string, unknown>)[key], wanted));
}
