import { AppError } from "@jibe/base";
import { groupResourceOf, type ResourceRef } from "./kube-object.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

type Endpoint = Omit<ResourceRef, "shape">;

/** The path of a type's collection, in one namespace or in all. */
export function collectionPath(type: Endpoint, namespace: string | undefined): string {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const inside = type.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${inside}/${type.resource}`;
}

/** The path of one object or of a subresource of it. */
export function objectPath(
  type: Endpoint,
  { namespace, name, subresource }: { namespace?: string | undefined; name: string; subresource?: string | undefined },
): string {
  const what = groupResourceOf(type);
  if (!name) throw new AppError("InvalidArgument", `an object of ${what} needs a name`);
  if (name === "." || name === ".." || name.includes("/") || name.includes("%")) {
    throw new AppError("InvalidArgument", `${JSON.stringify(name)} cannot be the name of an object of ${what}`);
  }
  if (type.namespaced && !namespace) {
    throw new AppError("InvalidArgument", `${what} ${JSON.stringify(name)} needs a namespace`);
  }
  const path = `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`;
  return subresource ? `${path}/${subresource}` : path;
}

/** Adds the set parameters to a path. */
export function withQuery(path: string, query: Query): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parts.push(`${key}=${encodeURIComponent(value)}`);
  }
  return parts.length === 0 ? path : `${path}?${parts.join("&")}`;
}

/** For errors: `cannot create deployments.apps "web" in namespace "shop"`. */
export function describeCall(
  verb: string,
  type: Endpoint,
  { namespace, name }: { namespace?: string | undefined; name?: string | undefined },
): string {
  const object = name ? ` ${JSON.stringify(name)}` : "";
  const where = type.namespaced && namespace ? ` in namespace ${JSON.stringify(namespace)}` : "";
  return `cannot ${verb} ${groupResourceOf(type)}${object}${where}`;
}
