import type { KubeObject, ResourceRef } from "../kube-object.ts";

/** The object that says who leads. Other clients use the same fields, so candidates need not be all of one kind. */
export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
  [key: string]: unknown;
}

export const leases: ResourceRef<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  resource: "leases",
  kind: "Lease",
  namespaced: true,
};

export interface Claim {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly now: Date;
}

/** The spec with which a candidate takes a lease, or keeps it. */
export function claimedSpec(spec: LeaseSpec | undefined, { identity, leaseDurationMs, now }: Claim): LeaseSpec {
  const time = microTime(now);
  const isOurs = spec?.holderIdentity === identity;
  const transitions = spec?.leaseTransitions ?? 0;
  return {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds: Math.max(1, Math.ceil(leaseDurationMs / 1000)),
    acquireTime: isOurs && spec.acquireTime ? spec.acquireTime : time,
    renewTime: time,
    leaseTransitions: isOurs || spec === undefined ? transitions : transitions + 1,
  };
}

/** The spec with which a holder gives a lease back: free for anyone at once. */
export function releasedSpec(spec: LeaseSpec | undefined, now: Date): LeaseSpec {
  return { ...spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(now) };
}

/** The server takes exactly six digits of a second. */
function microTime(time: Date): string {
  return time.toISOString().replace(/\.(\d{3})Z$/, ".$1000Z");
}
