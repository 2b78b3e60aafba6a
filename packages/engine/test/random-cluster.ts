import { parseJson } from "@jibe/base";
import type { KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import fc from "fast-check";
import { apiVersionOf, groupResourceOf, type ResourceType } from "../src/ports/cluster.ts";
import { namespace, object } from "./builders.ts";
import { commonTypes, resourceType } from "./memory-types.ts";

/** Types that a cluster serves without a definition. */
export const builtInTypes: readonly ResourceType[] = [
  ...commonTypes,
  resourceType("batch/v1", "Job"),
  resourceType("batch/v1", "CronJob"),
  resourceType("apps/v1", "StatefulSet"),
  resourceType("apps/v1", "DaemonSet"),
  resourceType("networking.k8s.io/v1", "Ingress"),
  resourceType("networking.k8s.io/v1", "NetworkPolicy"),
  resourceType("rbac.authorization.k8s.io/v1", "Role"),
  resourceType("rbac.authorization.k8s.io/v1", "RoleBinding"),
  resourceType("v1", "LimitRange"),
  resourceType("v1", "ResourceQuota"),
];

/** Types that a cluster serves because it has their definitions. */
export const definedTypes: readonly ResourceType[] = [
  resourceType("example.io/v1", "Widget"),
  resourceType("example.io/v1", "Gadget", { namespaced: false }),
  resourceType("tools.example.io/v1beta1", "Gizmo"),
];

/** An object of a random cluster, and the other one that an action will ask for along with it. */
export interface RandomItem {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
  readonly asksFor: ResourceIdentifier | undefined;
}

const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }).map(String),
  fc.constantFrom("1.50", "-0.0", "1e3"),
);
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom("<&>", "\u2028", "ümläut"),
);
/** JSON as text, so that numbers stay as they are written. */
const value = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    text.map((each) => JSON.stringify(each)),
    fc.constantFrom("true", "null", "{}", "[]"),
    fc.array(tie("value"), { maxLength: 3 }).map((list) => `[${list.join(",")}]`),
    fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), tie("value"), { maxKeys: 3, noNullPrototype: true }).map(
      (fields) =>
        `{${Object.entries(fields)
          .map(([key, member]) => `${JSON.stringify(key)}:${member}`)
          .join(",")}}`,
    ),
  ),
})).value;

// Not in here: what restores never touch (events, nodes), and what follows rules of its own (volumes, namespaces). Definitions
// come with the types that they define.
const kinds = [...builtInTypes, ...definedTypes].filter(
  ({ kind }) => !["Event", "Node", "PersistentVolume", "CustomResourceDefinition", "Namespace"].includes(kind),
);
const namespaces = ["one", "two", "three"];

const draft = fc.record({
  type: fc.constantFrom(...kinds),
  name: fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/),
  namespace: fc.constantFrom(...namespaces),
  labels: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.stringMatching(/^[a-z0-9]{0,4}$/), {
    maxKeys: 2,
    noNullPrototype: true,
  }),
  spec: value,
  finalizers: fc.constantFrom([], ["example.io/keep"]),
  isOwned: fc.boolean(),
  asksForNumber: fc.option(fc.nat()),
});
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;

/** Objects of many kinds with the namespaces they are in and the definitions of their types; no two have one name. */
export const randomCluster: fc.Arbitrary<readonly RandomItem[]> = fc
  .array(draft, { minLength: 1, maxLength: 40 })
  .map((drafts) => {
    const unique = [...new Map(drafts.map((each) => [JSON.stringify(identifierOf(each)), each])).values()];
    const asksFor = ({ asksForNumber }: Draft) => {
      const other = asksForNumber === null ? undefined : unique[asksForNumber % unique.length];
      return other && identifierOf(other);
    };
    const items = unique.map((each) => ({ type: each.type, object: objectOf(each), asksFor: asksFor(each) }));
    return [...givenItems(), ...items];
  });

function givenItems(): readonly RandomItem[] {
  const typed = (kind: string) => (given: KubernetesObject) => ({
    type: typeOfKind(kind),
    object: given,
    asksFor: undefined,
  });
  return [
    ...namespaces.map((name) => namespace(name)).map(typed("Namespace")),
    ...definedTypes.map(definitionOf).map(typed("CustomResourceDefinition")),
  ];
}

function typeOfKind(kind: string): ResourceType {
  const found = builtInTypes.find((type) => type.kind === kind);
  if (!found) throw new Error(`no type ${kind}`);
  return found;
}

function definitionOf({ group, version, kind, singular, resource, namespaced }: ResourceType): KubernetesObject {
  return object("apiextensions.k8s.io/v1", "CustomResourceDefinition", `${resource}.${group}`, {
    spec: {
      group,
      scope: namespaced ? "Namespaced" : "Cluster",
      names: { plural: resource, singular, kind },
      versions: [{ name: version, served: true }],
    },
    status: { conditions: ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" })) },
  });
}

function identifierOf({ type, name, namespace: space }: Draft): ResourceIdentifier {
  return { groupResource: groupResourceOf(type), ...(type.namespaced ? { namespace: space } : {}), name };
}

function objectOf({ type, name, namespace: space, labels, spec, finalizers, isOwned }: Draft): KubernetesObject {
  const metadata = {
    name,
    ...(type.namespaced ? { namespace: space } : {}),
    uid: `uid-${name}`,
    labels,
    ...(finalizers.length > 0 ? { finalizers } : {}),
    ...(isOwned ? { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "owner", uid: "u" }] } : {}),
  };
  const head = JSON.stringify({ apiVersion: apiVersionOf(type), kind: type.kind, metadata });
  return parseJson(`${head.slice(0, -1)},"spec":${spec}}`) as KubernetesObject;
}
