import type { ApiContext } from "../api/context.ts";
import type { Tree } from "../api/kube-object.ts";
import type { ResourceType } from "../registry/resource-type.ts";

/** The name of a custom resource's schema: the group backwards, then version and kind. */
export const customSchemaName = ({ group, version, kind }: ResourceType) =>
  [...group.split(".").reverse(), version, kind].join(".");

const query = (name: string, type = "string") => ({ name, in: "query", schema: { type, uniqueItems: true } });

const writeParameters = [query("dryRun"), query("fieldManager"), query("fieldValidation")];

const methods: readonly {
  readonly verb: string;
  readonly method: string;
  readonly action: string;
  readonly parameters: readonly Tree[];
}[] = [
  { verb: "get", method: "get", action: "get", parameters: [] },
  { verb: "update", method: "put", action: "put", parameters: writeParameters },
  { verb: "delete", method: "delete", action: "delete", parameters: [query("dryRun"), query("propagationPolicy")] },
  { verb: "patch", method: "patch", action: "patch", parameters: [...writeParameters, query("force", "boolean")] },
];

/** The paths of a type with the operations that clients look for: which kind, and which parameters it takes. */
export function operationsOf(context: ApiContext, type: ResourceType): Tree {
  const { group, version, kind, plural, namespaced, verbs } = type;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = `${root}${namespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const schemaName = type.custom ? customSchemaName(type) : context.definitions.nameOf(type);
  const schema = { $ref: `#/components/schemas/${schemaName}` };
  const gvk = { group, version, kind };
  const operation = (action: string, parameters: readonly Tree[]) => ({
    parameters,
    responses: { "200": { description: "OK", content: { "application/json": { schema } } } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  });
  const one = methods
    .filter(({ verb }) => verbs.includes(verb))
    .map(({ method, action, parameters }) => [method, operation(action, parameters)]);
  return {
    [collection]: {
      ...(verbs.includes("list") ? { get: operation("list", []) } : {}),
      ...(verbs.includes("create") ? { post: operation("post", writeParameters) } : {}),
    },
    ...(one.length === 0 ? {} : { [`${collection}/{name}`]: Object.fromEntries(one) as Tree }),
  };
}
