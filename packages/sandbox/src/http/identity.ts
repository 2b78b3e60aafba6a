import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@jibe/base";
import { type Certificate, selfSignedCertificate } from "./certificate.ts";

/** What clients know a server by. */
export interface Identity {
  readonly certificate: Certificate;
  readonly token: string;
}

/** The certificate and token, the same after a restart on the same data directory. */
export function identityIn(dataDir: string | undefined, clock: Clock): Identity {
  const path = dataDir === undefined ? undefined : join(dataDir, "identity.json");
  if (path !== undefined && existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as Identity;
  const certificate = selfSignedCertificate({ now: clock.now() });
  const identity = { certificate, token: randomBytes(24).toString("base64url") };
  if (dataDir !== undefined && path !== undefined) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(identity), { mode: 0o600 });
  }
  return identity;
}
