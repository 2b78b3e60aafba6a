import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError, type Clock, type Secret } from "@jibe/base";

export interface SignedObject {
  readonly location: string;
  readonly key: string;
}

/** Makes URLs that let anyone who has one read one object until it expires, and checks them. */
export interface UrlSigner {
  sign(object: SignedObject, ttlMs: number): string;
  /** Fails with `PermissionDenied` for a token that is not ours, was changed, or has expired. */
  verify(token: string): SignedObject;
}

/** A signer whose tokens hold for every process that has the same secret. `baseUrl` is the server's address as clients see it. */
export function createUrlSigner({
  secret,
  baseUrl,
  clock,
}: {
  readonly secret: Secret;
  readonly baseUrl: string;
  readonly clock: Clock;
}): UrlSigner {
  const macOf = (payload: string) => createHmac("sha256", secret.reveal()).update(`jibe-object:${payload}`).digest();
  const base = baseUrl.replace(/\/+$/, "");
  return {
    sign: ({ location, key }, ttlMs) => {
      const expires = clock.now().getTime() + ttlMs;
      const payload = Buffer.from(JSON.stringify([location, key, expires])).toString("base64url");
      return `${base}/objects/${payload}.${macOf(payload).toString("base64url")}`;
    },
    verify: (token) => {
      const [payload = "", mac = "", ...rest] = token.split(".");
      const given = Buffer.from(mac, "base64url");
      const expected = macOf(payload);
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
        throw new AppError("PermissionDenied", "the signature of the object URL is not valid");
      }
      const [location, key, expires] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [
        string,
        string,
        number,
      ];
      if (clock.now().getTime() >= expires) throw new AppError("PermissionDenied", "the object URL has expired");
      return { location, key };
    },
  };
}
