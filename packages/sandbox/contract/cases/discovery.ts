import type { Cases } from "../contract-case.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** What a server says it serves. */
export const discovery: Cases = {
  "the groups": [{ send: "GET /apis" }, { send: "GET /apis/apps" }, { send: "GET /apis/none.example.com" }],
  "the types of the core group": [{ send: "GET /api/v1" }],
  "the types of other groups": [
    { send: "GET /apis/apps/v1" },
    { send: "GET /apis/batch/v1" },
    { send: "GET /apis/networking.k8s.io/v1" },
    { send: "GET /apis/apiextensions.k8s.io/v1" },
    { send: "GET /apis/autoscaling/v2" },
    { send: "GET /apis/apps/v2" },
  ],
  "everything at once": [
    { send: "GET /api", accept: aggregated },
    { send: "GET /apis", accept: aggregated },
  ],
  "the older forms are still there": [{ send: "GET /apis/rbac.authorization.k8s.io/v1", accept: "application/json" }],
  health: [{ send: "GET /healthz" }, { send: "GET /readyz" }, { send: "GET /livez" }],
};
