import type { TypedSchema } from "../apply/typed-schema.ts";
import { typedSchemaFor, typedSchemaForCustom } from "../apply/typed-schema-sources.ts";
import { updateManagedFields, type WriteContext } from "../apply/update-managed-fields.ts";
import { decodeTyped } from "../builtin/typed-decoder.ts";
import { apiVersionOf, type ResourceType } from "../registry/resource-type.ts";
import type { OpenApiComponents } from "../schema/open-api.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import type { KubeObject, Tree } from "./kube-object.ts";

/** What is known of a type for tracking; made once per type. */
interface Tracked {
  readonly schema: TypedSchema;
  readonly empty: Tree;
}

const trackedTypes = new WeakMap<ResourceType, Tracked>();

function trackedOf(context: ApiContext, type: ResourceType): Tracked {
  let tracked = trackedTypes.get(type);
  if (!tracked) {
    const components = type.custom ? undefined : (context.definitions.schemas as OpenApiComponents);
    const schema = components && typedSchemaFor(components, type);
    tracked = { schema: schema ?? typedSchemaForCustom(type.custom?.schema), empty: emptyObjectOf(context, type) };
    trackedTypes.set(type, tracked);
  }
  return tracked;
}

function emptyObjectOf({ definitions, nodes }: ApiContext, type: ResourceType): Tree {
  const name = type.custom ? undefined : definitions.nameOf(type);
  const members = name === undefined ? {} : (decodeTyped(nodes.named(name), {}, []) as Tree);
  return { ...members, apiVersion: apiVersionOf(type), kind: type.kind };
}

/** An object of a built-in type in which nothing is set; a custom one has no more than its kind. */
export const emptyOf = (context: ApiContext, type: ResourceType): Tree => trackedOf(context, type).empty;

/** What a write to this endpoint cannot change and therefore nobody comes to own by it. */
function ignoredPaths(context: ApiContext, { type, subresource }: Target): readonly (readonly string[])[] {
  const hasStatus = type.subresources.some(({ name }) => name === "status");
  if (subresource === "") return hasStatus ? [["status"]] : [];
  if (subresource !== "status") return [];
  return type.custom ? [["metadata"], ["spec"]] : [["spec"], ...(context.strategyOf(type).statusKeeps ?? [])];
}

/** Who writes what, for the functions that keep `managedFields`. */
export function writeContextOf(
  context: ApiContext,
  target: Target,
  options: Pick<WriteOptions, "fieldManager">,
): WriteContext & { readonly empty: Tree } {
  const { schema, empty } = trackedOf(context, target.type);
  return {
    schema,
    empty,
    manager: options.fieldManager,
    apiVersion: apiVersionOf(target.type),
    subresource: target.subresource === "" ? undefined : target.subresource,
    ignored: ignoredPaths(context, target),
    now: context.clock.now(),
  };
}

/** Notes in `managedFields` who wrote what. Called with the object as the client meant it, before the server adds to it. */
export function trackFields(
  context: ApiContext,
  target: Target,
  { object, old }: { readonly object: KubeObject; readonly old: KubeObject | undefined },
  options: WriteOptions,
): void {
  const { empty, ...write } = writeContextOf(context, target, options);
  const managed = updateManagedFields({ ...write, live: (old as Tree | undefined) ?? empty, object });
  if (managed === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managed as unknown as Tree[];
}
