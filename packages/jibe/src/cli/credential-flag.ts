import { AppError } from "@jibe/base";
import type { SecretKeySelector } from "../api/resources.ts";
import { flag } from "./flags.ts";

export const credentialFlag = flag.map("Key of a Secret with the credentials, as secret-name=key");

/** The Secret and key that `--credential` names, if it was given. */
export function credentialFrom(value: Readonly<Record<string, string>>): SecretKeySelector | undefined {
  const pairs = Object.entries(value);
  if (pairs.length > 1) throw new AppError("InvalidArgument", "--credential takes one secret-name=key");
  const [pair] = pairs;
  return pair ? { name: pair[0], key: pair[1] } : undefined;
}
