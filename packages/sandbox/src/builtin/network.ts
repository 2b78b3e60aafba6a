import { isTree, listAt, treeAt } from "../api/kube-object.ts";
import { fill } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

export const ingressStrategy: Strategy = { hasGeneration: true, generationParts: ["spec"] };
export const ingressClassStrategy: Strategy = { hasGeneration: true, generationParts: ["spec"] };

export const networkPolicyStrategy: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  setDefaults: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    fill(spec, { podSelector: {}, policyTypes: ["Ingress", ...(listAt(spec, "egress").length > 0 ? ["Egress"] : [])] });
    for (const rule of [...listAt(spec, "ingress"), ...listAt(spec, "egress")]) {
      for (const port of listAt(rule, "ports").filter(isTree)) fill(port, { protocol: "TCP" });
    }
  },
};

export const endpointsStrategy: Strategy = {
  createsOnUpdate: true,
  setDefaults: (object) => {
    for (const subset of listAt(object, "subsets")) {
      for (const port of listAt(subset, "ports").filter(isTree)) fill(port, { protocol: "TCP" });
    }
  },
};

export const endpointSliceStrategy: Strategy = {
  hasGeneration: true,
  setDefaults: (object) => {
    for (const port of listAt(object, "ports").filter(isTree)) fill(port, { name: "", protocol: "TCP" });
  },
};
