import { createHmac, randomBytes } from "node:crypto";
import { type Entry, objectOf } from "../storage/entry.ts";
import type { ApiContext } from "./context.ts";
import { listAt, type Tree, timeText, treeAt } from "./kube-object.ts";

const issuer = "https://kubernetes.default.svc";
const defaultSeconds = 3600;

/**
 * A token for a service account, with the claims that Kubernetes gives. It is accepted nowhere, and its key is thrown away:
 * whoever talks to the sandbox has the administrator's.
 */
export function requestToken(context: ApiContext, account: Entry, input: Tree): Tree {
  const { name, namespace } = account;
  const { uid } = objectOf(account).metadata;
  const now = context.clock.now();
  const seconds = Number(treeAt(input, "spec")?.["expirationSeconds"] ?? defaultSeconds);
  const asked = listAt(input, "spec", "audiences");
  const audiences = asked.length > 0 ? asked : [issuer];
  const expires = new Date(now.getTime() + seconds * 1000);
  const claims = {
    aud: audiences,
    exp: inSeconds(expires),
    iat: inSeconds(now),
    iss: issuer,
    jti: context.newUid(),
    "kubernetes.io": { namespace, serviceaccount: { name, uid } },
    nbf: inSeconds(now),
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, uid, creationTimestamp: timeText(now) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: null },
    status: { token: signed(claims), expirationTimestamp: timeText(expires) },
  };
}

const inSeconds = (time: Date) => Math.floor(time.getTime() / 1000);

function signed(claims: object): string {
  const parts = [{ alg: "HS256", typ: "JWT" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const content = parts.join(".");
  return `${content}.${createHmac("sha256", randomBytes(32)).update(content).digest("base64url")}`;
}
