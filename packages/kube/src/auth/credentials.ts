import { readFile } from "node:fs/promises";
import { AppError, type Clock, type Scope, Secret } from "@jibe/base";

export interface ClientCertificate {
  readonly cert: string;
  readonly key: Secret;
}

/** What a request shows to prove who sends it. */
export interface Presented {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly certificate?: ClientCertificate;
}

/** Who we are to the server. */
export interface Credentials {
  /** What to present now; a promise only when something has to be fetched first. */
  present(scope: Scope): Presented | Promise<Presented>;
  /** Called when the server refused `presented` with 401. True when there is something else to present. */
  renew(refused: Presented, scope: Scope): Promise<boolean>;
}

/** Credentials that never change. */
export function fixedCredentials(presented: Presented): Credentials {
  return { present: () => presented, renew: async () => false };
}

/** The header of a bearer token. */
export function bearer(token: Secret): Record<string, string> {
  return { authorization: `Bearer ${token.reveal()}` };
}

/** The header of a name with password. */
export function basic(username: string, password: Secret): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString("base64")}` };
}

// Kubelets replace a mounted token well before it ends; a minute's delay is what other clients take too.
const tokenFileMaxAgeMs = 60_000;

/** A token that another program keeps fresh in a file: read again when a minute old, and at once when refused. */
export function tokenFileCredentials(
  { path, certificate }: { readonly path: string; readonly certificate?: ClientCertificate },
  clock: Clock,
): Credentials {
  let current: { readonly presented: Presented; readonly readAtMs: number } | undefined;
  const read = async (): Promise<Presented> => {
    const token = await readToken(path);
    const headers = bearer(token);
    const same = current?.presented.headers["authorization"] === headers["authorization"];
    const presented = same && current ? current.presented : { headers, ...(certificate ? { certificate } : {}) };
    current = { presented, readAtMs: clock.monotonicMs() };
    return presented;
  };
  return {
    present: () => (current && clock.monotonicMs() - current.readAtMs < tokenFileMaxAgeMs ? current.presented : read()),
    renew: async (refused) => (await read()) !== refused,
  };
}

async function readToken(path: string): Promise<Secret> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new AppError("InvalidArgument", `cannot read the token file ${JSON.stringify(path)}`, { cause });
  });
  const token = text.trim();
  if (token === "") throw new AppError("InvalidArgument", `the token file ${JSON.stringify(path)} is empty`);
  return new Secret(token);
}
