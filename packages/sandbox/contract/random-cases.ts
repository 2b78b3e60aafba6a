import fc from "fast-check";
import { apps, core, deployment } from "./cases/objects.ts";
import type { Step } from "./contract-case.ts";

const word = fc.constantFrom("a", "b", "c", "d");
const scalar = fc.oneof(word, fc.integer({ min: -2, max: 9 }), fc.boolean(), fc.constant(null), fc.constant(""));
const texts = fc.dictionary(word, fc.oneof(word, fc.constant(null)), { maxKeys: 3 });

const container = fc.record(
  {
    name: word,
    image: fc.constantFrom("x:1", "y", "z:latest"),
    env: fc.array(fc.record({ name: word, value: word }), { maxLength: 2 }),
    ports: fc.array(fc.record({ containerPort: fc.integer({ min: 1, max: 4 }) }), { maxLength: 2 }),
    args: fc.array(word, { maxLength: 2 }),
    resources: fc.record({ limits: fc.record({ cpu: fc.constantFrom("1", "500m", "0.25") }) }, { requiredKeys: [] }),
    $patch: fc.constant("delete"),
  },
  { requiredKeys: ["name"] },
);

const deploymentPatch = fc.record(
  {
    metadata: fc.record({ labels: texts, annotations: texts }, { requiredKeys: [] }),
    spec: fc.record(
      {
        replicas: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(null)),
        paused: scalar,
        minReadySeconds: fc.integer({ min: 0, max: 3 }),
        strategy: fc.constantFrom({ type: "Recreate", rollingUpdate: null }, { type: "RollingUpdate" }, null),
        template: fc.record({
          spec: fc.record({ containers: fc.array(container, { maxLength: 3 }), hostname: word }, { requiredKeys: [] }),
        }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

const pointer = fc.constantFrom(
  "/data/a",
  "/data/b",
  "/data",
  "/metadata/labels",
  "/metadata/labels/a",
  "/immutable",
  "/x",
);
const operation = fc.record({
  op: fc.constantFrom("add", "remove", "replace", "test", "copy", "move"),
  path: pointer,
  from: pointer,
  value: fc.oneof(word, fc.constant({ a: "1" })),
});

const configMapBody = fc.record(
  { data: texts, labels: texts, immutable: fc.oneof(fc.boolean(), fc.constant(null)) },
  { requiredKeys: ["data"] },
);

const configMapStep = fc.oneof(
  fc
    .array(operation, { minLength: 1, maxLength: 3 })
    .map((body): Step => ({ send: `PATCH ${core}/configmaps/a`, as: "json", body })),
  configMapBody.map(
    ({ data, labels, immutable }): Step => ({
      send: `PATCH ${core}/configmaps/a`,
      as: "merge",
      body: { data, ...(labels ? { metadata: { labels } } : {}), ...(immutable === undefined ? {} : { immutable }) },
    }),
  ),
  fc.tuple(word, fc.boolean(), texts).map(
    ([manager, force, data]): Step => ({
      send: `PATCH ${core}/configmaps/a?fieldManager=${manager}&force=${force}`,
      as: "apply",
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data },
    }),
  ),
);

const deploymentStep = fc
  .tuple(fc.constantFrom("merge", "strategic"), deploymentPatch)
  .map(([as, body]): Step => ({ send: `PATCH ${apps}/deployments/web`, as, body }));

const configMapCase = fc.array(configMapStep, { minLength: 2, maxLength: 6 }).map((steps): Step[] => [
  {
    send: `POST ${core}/configmaps`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "1" } },
  },
  ...steps,
]);

const deploymentCase = fc
  .array(deploymentStep, { minLength: 1, maxLength: 4 })
  .map((steps): Step[] => [{ send: `POST ${apps}/deployments`, body: deployment("web") }, ...steps]);

/** Cases that nobody thought of, the same for the same seed. */
export function randomCases(seed: number, count: number): readonly (readonly Step[])[] {
  return fc.sample(fc.oneof(configMapCase, deploymentCase), { seed, numRuns: count });
}
