import { cloneJson } from "@jibe/base";
import { objectAt } from "../printing/read.ts";
import type { JsonObject } from "../schema/json-object.ts";
import { sortedJson } from "../schema/sorted-json.ts";
import type { KubeObject, ObjectMeta } from "./cluster-port.ts";
import { controllerReference, namespaceOf } from "./owned.ts";

// No vowels, so no words; nothing that looks like something else.
const letters = "bcdfghjklmnpqrstvwxz2456789";

/** A short name for a pod template, the same for equal ones. */
export function templateHash(template: unknown): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(sortedJson(template))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return [...String(hash)].map((digit) => letters[digit.charCodeAt(0) % letters.length]).join("");
}

export const templateOf = (workload: KubeObject) => objectAt(workload, "spec.template");

interface PodParts {
  /** A name, or the start of one that is made unique. */
  readonly name: { readonly name: string } | { readonly generateName: string };
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
}

/** A pod from its workload's template. */
export function podFrom(owner: KubeObject, { name, labels, annotations, spec }: PodParts): KubeObject {
  const template = cloneJson(templateOf(owner));
  const metadata = objectAt(template, "metadata") as Partial<ObjectMeta>;
  const notes = { ...metadata.annotations, ...annotations };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "",
      ...name,
      namespace: namespaceOf(owner),
      labels: { ...metadata.labels, ...labels },
      ...(Object.keys(notes).length > 0 ? { annotations: notes } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...objectAt(template, "spec"), ...spec },
  };
}
