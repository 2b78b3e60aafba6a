import { messageOf, type Scope } from "@jibe/base";

export interface CheckResult {
  /** What was checked: the executable, or one of its plugins. */
  readonly subject: string;
  readonly check: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  readonly reason?: string;
}

/** What a verification found. */
export interface VerifyReport {
  readonly command: string;
  readonly results: readonly CheckResult[];
  readonly ok: boolean;
}

/** Collects results. A check that throws has failed; the others run all the same. */
export class Checks {
  readonly #results: CheckResult[] = [];

  async run(subject: string, check: string, scope: Scope, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#results.push({ subject, check, outcome: "passed" });
      return true;
    } catch (error) {
      scope.signal.throwIfAborted();
      this.#results.push({ subject, check, outcome: "failed", reason: messageOf(error) });
      return false;
    }
  }

  skip(subject: string, check: string, reason: string): void {
    this.#results.push({ subject, check, outcome: "skipped", reason });
  }

  report(command: string): VerifyReport {
    return { command, results: [...this.#results], ok: this.#results.every(({ outcome }) => outcome !== "failed") };
  }
}

const marks = { passed: "ok     ", failed: "FAILED ", skipped: "skipped" } as const;

/** The report as text: one line a check, grouped by plugin, and a summary. */
export function formatReport({ command, results }: VerifyReport): string {
  const lines = [command];
  let subject = "";
  for (const result of results) {
    if (result.subject !== subject) lines.push("", result.subject);
    subject = result.subject;
    lines.push(`  ${marks[result.outcome]} ${result.check}`);
    if (result.reason) lines.push(...result.reason.split("\n").map((line) => `            ${line}`));
  }
  const count = (outcome: CheckResult["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  lines.push("", `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`);
  return `${lines.join("\n")}\n`;
}
