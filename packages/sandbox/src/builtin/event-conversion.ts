import type { KubeObject } from "../api/kube-object.ts";
import type { Conversion } from "../registry/resource-type.ts";

/** Fields of an event: as `events.k8s.io` names them, and as the core group, in which events are stored. */
const names: readonly (readonly [shown: string, stored: string])[] = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
];

const toStored = new Map(names);
const fromStored = new Map(names.map(([shown, stored]) => [stored, shown]));

function renamed(object: KubeObject, by: ReadonlyMap<string, string>): KubeObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [by.get(key) ?? key, value])) as KubeObject;
}

/** The newer form leaves out what the older one writes empty. */
function withoutEmpty(object: KubeObject): KubeObject {
  for (const key of ["reportingController", "reportingInstance"]) if (object[key] === "") delete object[key];
  return object;
}

export const eventConversion: Conversion = {
  toStored: (object) => ({ source: {}, reportingComponent: "", reportingInstance: "", ...renamed(object, toStored) }),
  fromStored: (object) => withoutEmpty(renamed(object, fromStored)),
};
