import type { JsonObject } from "../schema/json-object.ts";
import { age, nameOf } from "./cells.ts";
import { humanDuration } from "./human-duration.ts";
import { type ColumnDefinition, columnsOf, type Printer } from "./printer.ts";
import { at, flagAt, listAt, numberAt, objectAt, scalarAt, textAt, textsAt } from "./read.ts";

export const storageClasses: Printer = {
  columns: columnsOf("Name", "Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion", "Age"),
  cells: (object, now) => {
    const annotations = objectAt(object, "metadata.annotations");
    const isDefault = [
      "storageclass.kubernetes.io/is-default-class",
      "storageclass.beta.kubernetes.io/is-default-class",
    ].some((key) => annotations[key] === "true");
    return [
      nameOf(object) + (isDefault ? " (default)" : ""),
      textAt(object, "provisioner"),
      textAt(object, "reclaimPolicy") || "Delete",
      textAt(object, "volumeBindingMode") || "Immediate",
      flagAt(object, "allowVolumeExpansion"),
      age(object, now),
    ];
  },
};

export const volumeAttachments: Printer = {
  columns: columnsOf("Name", "Attacher", "PV", "Node", "Attached(boolean)", "Age").map(
    (column): ColumnDefinition => (column.name === "Attacher" ? { ...column, format: "name" } : column),
  ),
  cells: (object, now) => [
    nameOf(object),
    textAt(object, "spec.attacher"),
    textAt(object, "spec.source.persistentVolumeName"),
    textAt(object, "spec.nodeName"),
    flagAt(object, "status.attached"),
    age(object, now),
  ],
};

export const csiDrivers: Printer = {
  columns: columnsOf(
    ...["Name", "AttachRequired(boolean)", "PodInfoOnMount(boolean)", "StorageCapacity(boolean)", "TokenRequests"],
    ...["RequiresRepublish(boolean)", "Modes", "Age"],
  ),
  cells: (object, now) => {
    const requests = at(object, "spec.tokenRequests");
    const audiences = listAt(object, "spec.tokenRequests").map((request) => textAt(request, "audience"));
    return [
      nameOf(object),
      at(object, "spec.attachRequired") !== false,
      flagAt(object, "spec.podInfoOnMount"),
      flagAt(object, "spec.storageCapacity"),
      requests === undefined ? "<unset>" : audiences.join(","),
      flagAt(object, "spec.requiresRepublish"),
      textsAt(object, "spec.volumeLifecycleModes").join(",") || "<none>",
      age(object, now),
    ];
  },
};

export const csiNodes: Printer = {
  columns: columnsOf("Name", "Drivers(integer)", "Age"),
  cells: (object, now) => [nameOf(object), listAt(object, "spec.drivers").length, age(object, now)],
};

export const webhookConfigurations: Printer = {
  columns: columnsOf("Name", "Webhooks(integer)", "Age"),
  cells: (object, now) => [nameOf(object), listAt(object, "webhooks").length, age(object, now)],
};

export const runtimeClasses: Printer = {
  columns: columnsOf("Name", "Handler", "Age"),
  cells: (object, now) => [nameOf(object), textAt(object, "handler"), age(object, now)],
};

export const leases: Printer = {
  columns: columnsOf("Name", "Holder", "Age"),
  cells: (object, now) => [nameOf(object), textAt(object, "spec.holderIdentity"), age(object, now)],
};

export const priorityClasses: Printer = {
  columns: columnsOf("Name", "Value(integer)", "Global-Default(boolean)", "Age", "PreemptionPolicy"),
  cells: (object, now) => [
    nameOf(object),
    numberAt(object, "value"),
    flagAt(object, "globalDefault"),
    age(object, now),
    textAt(object, "preemptionPolicy"),
  ],
};

export const podDisruptionBudgets: Printer = {
  columns: columnsOf("Name", "Min Available", "Max Unavailable", "Allowed Disruptions(integer)", "Age"),
  cells: (object, now) => [
    nameOf(object),
    scalarAt(object, "spec.minAvailable") ?? "N/A",
    scalarAt(object, "spec.maxUnavailable") ?? "N/A",
    numberAt(object, "status.disruptionsAllowed"),
    age(object, now),
  ],
};

export const certificateRequests: Printer = {
  columns: columnsOf("Name", "Age", "SignerName", "Requestor", "RequestedDuration", "Condition"),
  cells: (object, now) => {
    const seconds = at(object, "spec.expirationSeconds");
    return [
      nameOf(object),
      age(object, now),
      textAt(object, "spec.signerName") || "<none>",
      textAt(object, "spec.username"),
      typeof seconds === "number" ? humanDuration(seconds * 1000) : "<none>",
      requestState(object),
    ];
  },
};

function requestState(request: JsonObject): string {
  const types = listAt(request, "status.conditions").map((condition) => textAt(condition, "type"));
  const decision = types.findLast((type) => type === "Approved" || type === "Denied") ?? "Pending";
  const failed = types.includes("Failed") ? ",Failed" : "";
  return `${decision}${failed}${textAt(request, "status.certificate") === "" ? "" : ",Issued"}`;
}

/** Role bindings of a namespace and of the cluster. */
export const roleBindings: Printer = {
  columns: columnsOf("Name", "Role", "Age", "Users*", "Groups*", "ServiceAccounts*"),
  cells: (object, now) => [
    nameOf(object),
    `${textAt(object, "roleRef.kind")}/${textAt(object, "roleRef.name")}`,
    age(object, now),
    ...["User", "Group", "ServiceAccount"].map((kind) => subjects(object, kind)),
  ],
};

function subjects(object: JsonObject, kind: string): string {
  return listAt(object, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map((subject) => {
      const name = textAt(subject, "name");
      return kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/${name}` : name;
    })
    .join(", ");
}

/** Kinds without columns of their own. */
export const createdAt: Printer = {
  columns: columnsOf("Name", "Created At(date)"),
  cells: (object) => [nameOf(object), textAt(object, "metadata.creationTimestamp") || null],
};
