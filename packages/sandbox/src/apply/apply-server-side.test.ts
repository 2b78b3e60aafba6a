import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PatchError } from "../patch/patch-error.ts";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import type { OpenApiComponents } from "../schema/open-api.ts";
import { ApplyConflict } from "./apply-conflict.ts";
import { applyServerSide } from "./apply-server-side.ts";
import { typedSchemaFor, typedSchemaForCustom } from "./typed-schema-sources.ts";
import { updateManagedFields } from "./update-managed-fields.ts";

interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
}

interface Step {
  readonly op: "apply" | "update";
  readonly manager: string;
  readonly sub?: string;
  readonly force?: boolean;
  readonly applied?: KubeObject;
  /** The kind that the request's path names, where the body names another. */
  readonly endpoint?: Pick<KubeObject, "apiVersion" | "kind">;
  readonly live?: KubeObject;
  readonly want?: KubeObject;
  readonly error?: { readonly code: number; readonly message: string; readonly causes?: readonly unknown[] };
}

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
/** Requests that Kubernetes 1.36 answered, each with the object before and after it. Times are left out. */
const scenarios: readonly { readonly name: string; readonly steps: readonly Step[] }[] =
  read("./fixtures/scenarios.json");
const components: OpenApiComponents = read("../schema/fixtures/components.json");
const { schema: thingSchema } = read("../schema/fixtures/custom-resources.json");

/** What a built-in object has when nothing is set in it; a created one is compared with this. */
const empty: Record<string, JsonObject> = {
  ConfigMap: { metadata: {} },
  Deployment: {
    metadata: {},
    spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
    status: {},
  },
  Service: { metadata: {}, spec: {}, status: { loadBalancer: {} } },
  NetworkPolicy: { metadata: {}, spec: { podSelector: {} } },
};

const codes: Record<string, number> = { BadRequest: 400, Internal: 500 };

// What is answered after the merge, by validation, is not apply's business.
const isValidated = ({ error }: Step) => error?.code === 422;

for (const { name, steps } of scenarios.filter(({ steps }) => !steps.every(isValidated))) {
  describe(name, () => {
    for (const [index, step] of steps.entries()) {
      test(`step ${index + 1}: ${step.op} by ${step.manager}`, () => {
        if (step.error) return expect(failureOf(step)).toEqual(step.error);
        const { object, managedFields } = run(step);
        expect(withoutTimes(managedFields)).toEqual(withoutTimes(step.want?.metadata["managedFields"]));
        expect(comparable(object)).toEqual(comparable(step.want));
      });
    }
  });
}

function contextOf(step: Step) {
  const { apiVersion, kind } = step.endpoint ?? step.applied ?? step.want ?? { apiVersion: "", kind: "" };
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const gvk = { group, version, kind };
  const isCustom = group === "t.io";
  return {
    schema: isCustom
      ? typedSchemaForCustom(thingSchema)
      : (typedSchemaFor(components, gvk) ?? { kind: "deduced" as const }),
    live: step.live ?? { ...empty[kind], apiVersion, kind },
    manager: step.manager,
    apiVersion,
    kind,
    subresource: step.sub,
    ignored: step.sub === "status" ? [["spec"], ["metadata", "labels"]] : isCustom ? [] : [["status"]],
    now: new Date("2026-01-01T00:00:00Z"),
  };
}

function run(step: Step) {
  const context = contextOf(step);
  if (step.op === "apply") {
    return applyServerSide({ ...context, applied: step.applied ?? {}, force: step.force ?? false });
  }
  const object = step.want ?? {};
  const sent = step.manager === "m1" && step.want?.metadata["managedFields"] === undefined ? resetIn(object) : object;
  return { object, managedFields: updateManagedFields({ ...context, object: sent }) };
}

const resetIn = (object: JsonObject) => ({
  ...object,
  metadata: { ...(isJsonObject(object["metadata"]) ? object["metadata"] : {}), managedFields: [{}] },
});

function failureOf(step: Step) {
  try {
    run(step);
  } catch (error) {
    if (error instanceof ApplyConflict) return { code: 409, message: error.message, causes: error.causes };
    if (error instanceof PatchError) return { code: codes[error.kind], message: error.message };
    throw error;
  }
  throw new Error("no error was thrown");
}

function withoutTimes(entries: unknown): unknown {
  const list: { manager: string; operation: string; time?: string }[] = JSON.parse(JSON.stringify(entries ?? []));
  return list.map(({ time: _, ...rest }) => rest).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ manager, operation }: { manager: string; operation: string }) => `${operation} ${manager}`;

const defaulted = ["imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy", "resources", "protocol"];
const derived = ["managedFields", "resourceVersion", "uid", "namespace"];
const filledIn = [
  ...["progressDeadlineSeconds", "revisionHistoryLimit", "strategy", "restartPolicy", "dnsPolicy", "schedulerName"],
  ...["terminationGracePeriodSeconds", "securityContext", "status", "sessionAffinity", "internalTrafficPolicy"],
  ...["clusterIPs", "ipFamilies", "ipFamilyPolicy", "type", "replicas", "nested"],
];

/** Without what the server fills in after the merge, and without empty members. */
function comparable(object: unknown): unknown {
  const drop = new Set([...defaulted, ...derived, ...filledIn]);
  return JSON.parse(JSON.stringify(object), (key, value) => {
    if (drop.has(key) || value === null) return undefined;
    return isJsonObject(value) && Object.keys(value).length === 0 ? undefined : value;
  });
}
