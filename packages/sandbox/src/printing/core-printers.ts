import type { JsonObject } from "../schema/json-object.ts";
import { accessModes, age, isBeingDeleted, nameOf, since } from "./cells.ts";
import { columnsOf, type Printer } from "./printer.ts";
import { at, numberAt, objectAt, scalarAt, textAt, textsAt } from "./read.ts";

const count = (object: JsonObject, path: string) => Object.keys(objectAt(object, path)).length;

export const configMaps: Printer = {
  columns: columnsOf("Name", "Data", "Age"),
  cells: (object, now) => [nameOf(object), count(object, "data") + count(object, "binaryData"), age(object, now)],
};

export const secrets: Printer = {
  columns: columnsOf("Name", "Type", "Data", "Age"),
  cells: (object, now) => [nameOf(object), textAt(object, "type"), count(object, "data"), age(object, now)],
};

/** Kinds that show their age alone. */
export const ageOnly: Printer = {
  columns: columnsOf("Name", "Age"),
  cells: (object, now) => [nameOf(object), age(object, now)],
};

export const namespaces: Printer = {
  columns: columnsOf("Name", "Status", "Age"),
  cells: (object, now) => [nameOf(object), textAt(object, "status.phase"), age(object, now)],
};

export const events: Printer = {
  columns: columnsOf(
    ...["Last Seen", "Type", "Reason", "Object", "Subobject*", "Source*", "Message", "First Seen*", "Count*", "Name*"],
  ),
  cells: (event, now) => {
    const hasSeries = at(event, "series") !== undefined;
    const first = since(at(event, "firstTimestamp") ?? at(event, "eventTime"), now);
    const last = at(event, "lastTimestamp") === undefined ? first : since(at(event, "lastTimestamp"), now);
    const component = textAt(event, "source.component") || textAt(event, "reportingComponent");
    const instance = textAt(event, "source.host") || textAt(event, "reportingInstance");
    const kind = textAt(event, "involvedObject.kind").toLowerCase();
    const name = textAt(event, "involvedObject.name");
    return [
      hasSeries ? since(at(event, "series.lastObservedTime"), now) : last,
      textAt(event, "type"),
      textAt(event, "reason"),
      name === "" ? kind : `${kind}/${name}`,
      textAt(event, "involvedObject.fieldPath"),
      instance === "" ? component : `${component}, ${instance}`,
      textAt(event, "message").trim(),
      first,
      hasSeries ? numberAt(event, "series.count") : numberAt(event, "count") || 1,
      nameOf(event),
    ];
  },
};

/** Events of the newer group keep the same facts under other names. */
export const newEvents: Printer = {
  columns: events.columns,
  cells: (event, now) =>
    events.cells(
      {
        ...event,
        involvedObject: at(event, "regarding"),
        message: at(event, "note"),
        source: at(event, "deprecatedSource"),
        count: at(event, "deprecatedCount"),
        firstTimestamp: at(event, "deprecatedFirstTimestamp"),
        lastTimestamp: at(event, "deprecatedLastTimestamp"),
        reportingComponent: at(event, "reportingController"),
      },
      now,
    ),
};

const phase = (object: JsonObject) => (isBeingDeleted(object) ? "Terminating" : textAt(object, "status.phase"));

export const persistentVolumes: Printer = {
  columns: columnsOf(
    ...["Name", "Capacity", "Access Modes", "Reclaim Policy", "Status", "Claim", "StorageClass"],
    ...["VolumeAttributesClass", "Reason", "Age", "VolumeMode*"],
  ),
  cells: (object, now) => {
    const hasClaim = at(object, "spec.claimRef") !== undefined;
    const claim = `${textAt(object, "spec.claimRef.namespace")}/${textAt(object, "spec.claimRef.name")}`;
    return [
      nameOf(object),
      scalarAt(object, "spec.capacity.storage") ?? "0",
      accessModes(textsAt(object, "spec.accessModes")),
      textAt(object, "spec.persistentVolumeReclaimPolicy"),
      phase(object),
      hasClaim ? claim : "",
      classOf(object),
      textAt(object, "spec.volumeAttributesClassName") || "<unset>",
      textAt(object, "status.reason"),
      age(object, now),
      textAt(object, "spec.volumeMode") || "<unset>",
    ];
  },
};

/** The class, also by the annotation that was used before the field. */
function classOf(object: JsonObject): string {
  const annotation = objectAt(object, "metadata.annotations")["volume.beta.kubernetes.io/storage-class"];
  return typeof annotation === "string" ? annotation : textAt(object, "spec.storageClassName");
}

export const persistentVolumeClaims: Printer = {
  columns: columnsOf(
    ...["Name", "Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass", "Age"],
    "VolumeMode*",
  ),
  cells: (object, now) => {
    const volume = textAt(object, "spec.volumeName");
    return [
      nameOf(object),
      phase(object),
      volume,
      volume === "" ? "" : (scalarAt(object, "status.capacity.storage") ?? "0"),
      volume === "" ? "" : accessModes(textsAt(object, "status.accessModes")),
      classOf(object),
      textAt(object, "spec.volumeAttributesClassName") || "<unset>",
      age(object, now),
      textAt(object, "spec.volumeMode") || "<unset>",
    ];
  },
};

export const resourceQuotas: Printer = {
  columns: columnsOf("Name", "Request", "Limit", "Age"),
  cells: (object, now) => {
    const used = objectAt(object, "status.used");
    const entries = Object.entries(objectAt(object, "status.hard")).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = ([name, hard]: [string, unknown]) => `${name}: ${used[name] ?? "0"}/${hard}`;
    const isLimit = ([name]: [string, unknown]) => name.startsWith("limits.");
    const limits = entries.filter(isLimit).map(text).join(", ");
    const requests = entries.filter((entry) => !isLimit(entry)).map(text);
    return [nameOf(object), requests.join(", "), limits, age(object, now)];
  },
};
