import type { Scope } from "@jibe/base";
import type { KubeClient } from "@jibe/kube";
import type { ServerMetrics } from "../metrics/index.ts";
import type { HttpHandler } from "./http-server.ts";

export interface MetricsOptions {
  readonly metrics: ServerMetrics;
  readonly guard?: KubeClient | undefined;
  /** Brings up to date what is not counted as it happens. */
  readonly refresh: (scope: Scope) => Promise<void>;
}

/** Serves the metrics; with a client, only to bearers of a Kubernetes token that may get `/metrics`. */
export function metricsHandler({ metrics, guard, refresh }: MetricsOptions): HttpHandler {
  return async (request, response, scope) => {
    if ((request.url ?? "").replace(/\?.*$/s, "") !== "/metrics") return false;
    const refusal = guard && (await refusalOf(request.headers.authorization, guard, scope));
    if (refusal) {
      response.writeHead(refusal.status, { "content-type": "text/plain" }).end(`${refusal.reason}\n`);
      return true;
    }
    await refresh(scope);
    const { contentType, body } = await metrics.expose();
    response.writeHead(200, { "content-type": contentType }).end(body);
    return true;
  };
}

const tokenReviews = {
  group: "authentication.k8s.io",
  version: "v1",
  resource: "tokenreviews",
  kind: "TokenReview",
  namespaced: false,
};
const accessReviews = {
  group: "authorization.k8s.io",
  version: "v1",
  resource: "subjectaccessreviews",
  kind: "SubjectAccessReview",
  namespaced: false,
};

interface Review {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly allowed?: boolean;
    readonly user?: { readonly username?: string; readonly groups?: readonly string[] };
  };
}

async function refusalOf(
  authorization: string | undefined,
  client: KubeClient,
  scope: Scope,
): Promise<{ readonly status: number; readonly reason: string } | undefined> {
  const [, token] = /^Bearer (.+)$/.exec(authorization ?? "") ?? [];
  if (token === undefined) return { status: 401, reason: "a bearer token is needed" };
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {}, spec: { token } };
  const { status: who } = (await client.create(tokenReviews, { object: review }, scope)) as Review;
  if (!who?.authenticated) return { status: 401, reason: "the token is not valid" };
  const spec = {
    user: who.user?.username ?? "",
    groups: who.user?.groups ?? [],
    nonResourceAttributes: { path: "/metrics", verb: "get" },
  };
  const access = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: {}, spec };
  const { status: may } = (await client.create(accessReviews, { object: access }, scope)) as Review;
  return may?.allowed ? undefined : { status: 403, reason: "the token may not get /metrics" };
}
