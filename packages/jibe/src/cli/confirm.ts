import { AppError } from "@jibe/base";
import type { CliWorld } from "./command.ts";

/** Asks whether to go on. Where nobody can answer, the flag that stands for a yes has to be given. */
export async function isConfirmed(told: string, { ask, out }: CliWorld, flag = "--confirm"): Promise<boolean> {
  if (!ask) throw new AppError("InvalidArgument", `nobody is there to confirm: add ${flag}`);
  out.line(told);
  const answer = await ask("Are you sure you want to continue (Y/N)? ");
  return /^y(es)?$/i.test(answer.trim());
}
