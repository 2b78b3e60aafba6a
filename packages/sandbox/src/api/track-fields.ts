import { emptyObject } from "../apply/empty-object.ts";
import type { TypedSchema } from "../apply/typed-schema.ts";
import { typedSchemaFor, typedSchemaForCustom } from "../apply/typed-schema-sources.ts";
import { updateManagedFields, type WriteContext } from "../apply/update-managed-fields.ts";
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

function trackedOf({ definitions }: ApiContext, type: ResourceType): Tracked {
  let tracked = trackedTypes.get(type);
  if (!tracked) {
    const components = type.custom ? undefined : (definitions.schemas as OpenApiComponents);
    const schema = components && typedSchemaFor(components, type);
    tracked = { schema: schema ?? typedSchemaForCustom(type.custom?.schema), empty: emptyObject(components, type) };
    trackedTypes.set(type, tracked);
  }
  return tracked;
}

/** What a write to this endpoint cannot change and therefore nobody comes to own by it. */
function ignoredPaths({ type, subresource }: Target): readonly (readonly string[])[] {
  if (subresource === "") return type.subresources.some(({ name }) => name === "status") ? [["status"]] : [];
  if (subresource !== "status") return [];
  if (type.custom)
    return Object.keys(type.custom.schema?.properties ?? { spec: {} })
      .filter((key) => key !== "status")
      .map((key) => [key]);
  return [["spec"]];
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
    ignored: ignoredPaths(target),
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
