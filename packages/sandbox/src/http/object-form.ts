import type { ApiContext } from "../api/context.ts";
import { encodeEntry } from "../api/encode.ts";
import type { Tree } from "../api/kube-object.ts";
import { liveObject } from "../api/update-object.ts";
import { partialObject, partialObjectList } from "../printing/partial-object.ts";
import { type TableOptions, tableFor } from "../printing/table.ts";
import type { ResourceType } from "../registry/resource-type.ts";
import type { Entry } from "../storage/entry.ts";
import { chooseForm } from "./negotiate.ts";

/** How objects are shown: whole, as rows of a table, or by their metadata alone. */
export type ObjectForm = "whole" | "table" | "metadata";

const forms: Readonly<Record<string, ObjectForm>> = {
  "Table.v1.meta.k8s.io": "table",
  "PartialObjectMetadata.v1.meta.k8s.io": "metadata",
  "PartialObjectMetadataList.v1.meta.k8s.io": "metadata",
};

/** The form that a request accepts; undefined when none can be served. */
export function objectForm(accept: string): ObjectForm | undefined {
  const chosen = chooseForm(accept, Object.keys(forms));
  return chosen && (forms[`${chosen.as}.${chosen.version}.${chosen.group}`] ?? "whole");
}

export interface Shown {
  readonly type: ResourceType;
  readonly form: ObjectForm;
  /** What rows carry: `includeObject` of the query. */
  readonly includeObject: string | null;
}

const included: Readonly<Record<string, TableOptions["includeObject"]>> = { None: "None", Object: "Object" };

const asLive = ({ type }: Shown, entry: Entry): Tree =>
  liveObject({ type, namespace: "", name: "", subresource: "" }, entry);

/** One object in the wanted form, as JSON. */
export function encodeShown(context: ApiContext, shown: Shown, entry: Entry): Buffer {
  if (shown.form === "whole") return encodeEntry(shown.type, entry);
  const object = asLive(shown, entry);
  const resourceVersion = String(entry.revision);
  const value =
    shown.form === "metadata" ? partialObject(object) : table(context, shown, [object], { resourceVersion });
  return Buffer.from(JSON.stringify(value));
}

/** A list in a form other than the whole. */
export function encodeShownList(context: ApiContext, shown: Shown, entries: readonly Entry[], metadata: Tree): Buffer {
  const objects = entries.map((entry) => asLive(shown, entry));
  const value =
    shown.form === "metadata" ? partialObjectList(objects, metadata) : table(context, shown, objects, metadata);
  return Buffer.from(JSON.stringify(value));
}

function table({ clock }: ApiContext, { type, includeObject }: Shown, objects: readonly Tree[], metadata: Tree) {
  const include = included[includeObject ?? ""] ?? "Metadata";
  return tableFor(type, objects, { now: clock.now(), includeObject: include, metadata });
}
