import { cpus, release, totalmem } from "node:os";

/** The machine in a few words. */
export function describeMachine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${first?.model.trim() ?? "unknown"}), ${memory} GiB, Linux ${release().split("-")[0]}, Node ${process.version}`;
}
