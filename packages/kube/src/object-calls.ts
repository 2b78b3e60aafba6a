import type {
  CreateOptions,
  DeleteBehaviour,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  PatchOptions,
  PatchType,
  UpdateOptions,
  WriteOptions,
} from "./client-options.ts";
import type { Call } from "./http/transport.ts";
import type { ResourceRef } from "./kube-object.ts";
import { collectionPath, describeCall, objectPath, type Query, withQuery } from "./resource-path.ts";

type Endpoint = Omit<ResourceRef, "shape">;

/** Each operation as the call that does it. Whether it may be sent twice is decided here. */
export const objectCalls = {
  get(type: Endpoint, options: GetOptions): Call {
    return {
      method: "GET",
      path: withQuery(objectPath(type, options), { resourceVersion: options.resourceVersion }),
      kind: "get",
      idempotent: true,
      what: () => describeCall("get", type, options),
    };
  },

  create(type: Endpoint, options: CreateOptions): Call {
    const { name, subresource, namespace, object } = options;
    const path = name && subresource ? objectPath(type, { ...options, name }) : collectionPath(type, namespace);
    return {
      method: "POST",
      path: withQuery(path, writeQuery(options)),
      body: jsonOf(object),
      kind: "write",
      idempotent: false,
      what: () => describeCall("create", type, { namespace, name: name ?? nameIn(object) }),
    };
  },

  update(type: Endpoint, options: UpdateOptions): Call {
    return {
      method: "PUT",
      path: withQuery(objectPath(type, options), writeQuery(options)),
      body: jsonOf(options.object),
      kind: "write",
      // sent twice it would fail on the resource version that its first half changed
      idempotent: false,
      what: () => describeCall("update", type, options),
    };
  },

  patch(type: Endpoint, options: PatchOptions): Call {
    return {
      method: "PATCH",
      path: withQuery(objectPath(type, options), { ...writeQuery(options), force: options.force }),
      body: jsonOf(options.patch),
      contentType: patchContentType[options.contentType],
      kind: "write",
      idempotent: options.contentType === "apply",
      what: () => describeCall("patch", type, options),
    };
  },

  delete(type: Endpoint, options: DeleteOptions): Call {
    const { preconditions } = options;
    return {
      method: "DELETE",
      path: objectPath(type, options),
      body: deleteBody(options, preconditions ? { preconditions } : {}),
      kind: "write",
      idempotent: preconditions?.uid !== undefined,
      what: () => describeCall("delete", type, options),
    };
  },

  deleteCollection(type: Endpoint, options: DeleteCollectionOptions): Call {
    const { namespace, labelSelector, fieldSelector } = options;
    return {
      method: "DELETE",
      path: withQuery(collectionPath(type, namespace), { labelSelector, fieldSelector }),
      body: deleteBody(options, {}),
      kind: "collection",
      idempotent: false,
      what: () => describeCall("delete the collection of", type, options),
    };
  },
};

const patchContentType: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

function writeQuery({ fieldManager, dryRun, fieldValidation }: WriteOptions): Query {
  return { fieldManager, dryRun: dryRun ? "All" : undefined, fieldValidation };
}

function deleteBody({ propagationPolicy, gracePeriodSeconds, dryRun }: DeleteBehaviour, more: object): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(propagationPolicy ? { propagationPolicy } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
    ...more,
  });
}

function jsonOf(value: unknown): Uint8Array | string {
  return value instanceof Uint8Array ? value : JSON.stringify(value);
}

function nameIn(object: CreateOptions["object"]): string | undefined {
  if (!(object instanceof Uint8Array)) return object.metadata?.name ?? object.metadata?.generateName;
  try {
    return JSON.parse(Buffer.from(object).toString("utf8")).metadata?.name;
  } catch {
    return undefined; // the server says what is wrong with it; here it was only about naming it
  }
}
