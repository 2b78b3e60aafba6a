import { createHash } from "node:crypto";
import { isTree, type KubeObject, listAt, type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { compareVersions } from "../registry/registry.ts";
import { bucketOf, type CustomVersion, type ResourceType, type Subresource } from "../registry/resource-type.ts";
import { compileSchema } from "../schema/structural-schema.ts";

const allVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** The types that a custom resource definition serves, one per served version. */
export function customTypes(definition: KubeObject): readonly ResourceType[] {
  const spec = treeAt(definition, "spec") ?? {};
  const names = treeAt(definition, "status", "acceptedNames") ?? {};
  const group = textAt(spec, "group");
  const versions = listAt(spec, "versions").filter(isTree);
  const stored = versions.find((version) => version["storage"] === true);
  const storageApiVersion = `${group}/${textAt(stored, "name")}`;
  return versions
    .filter((version) => version["served"] === true)
    .map((version) => typeOf(spec, names, version, storageApiVersion));
}

function typeOf(spec: Tree, names: Tree, version: Tree, storageApiVersion: string): ResourceType {
  const group = textAt(spec, "group");
  const plural = textAt(spec, "names", "plural");
  const shortNames = listAt(names, "shortNames") as readonly string[];
  const categories = listAt(names, "categories") as readonly string[];
  const custom = customVersion(version, storageApiVersion);
  return {
    group,
    version: textAt(version, "name"),
    kind: textAt(names, "kind"),
    listKind: textAt(names, "listKind"),
    plural,
    singular: textAt(names, "singular"),
    namespaced: textAt(spec, "scope") === "Namespaced",
    verbs: allVerbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    storageVersionHash: storageHash(storageApiVersion, textAt(names, "kind")),
    subresources: subresourcesOf(textAt(names, "kind"), custom),
    bucket: bucketOf(group, plural),
    ...(version["deprecated"] === true ? { deprecationWarning: deprecationText(spec, version) } : {}),
    custom,
  };
}

/** The same for two servers that store a type alike. */
const storageHash = (apiVersion: string, kind: string) =>
  createHash("sha256").update(`${apiVersion}/${kind}`).digest().subarray(0, 8).toString("base64");

/** What clients of a deprecated version hear: which one to use instead. */
function deprecationText(spec: Tree, version: Tree): string {
  const given = textAt(version, "deprecationWarning");
  if (given !== "") return given;
  const kind = textAt(spec, "names", "kind");
  const current = listAt(spec, "versions")
    .filter(isTree)
    .filter((one) => one["served"] === true && one["deprecated"] !== true);
  const [best] = current.map((one) => textAt(one, "name")).sort(compareVersions);
  const text = `${textAt(spec, "group")}/${textAt(version, "name")} ${kind} is deprecated`;
  return best === undefined ? text : `${text}; use ${textAt(spec, "group")}/${best} ${kind}`;
}

function customVersion(version: Tree, storageApiVersion: string): CustomVersion {
  const openAPIV3Schema = treeAt(version, "schema", "openAPIV3Schema");
  const scale = treeAt(version, "subresources", "scale");
  return {
    schema: openAPIV3Schema && compileSchema(openAPIV3Schema).schema,
    openAPIV3Schema,
    hasStatus: treeAt(version, "subresources", "status") !== undefined,
    scale: scale && {
      specReplicasPath: textAt(scale, "specReplicasPath"),
      statusReplicasPath: textAt(scale, "statusReplicasPath"),
      labelSelectorPath: textAt(scale, "labelSelectorPath"),
    },
    printerColumns: listAt(version, "additionalPrinterColumns"),
    selectableFields: listAt(version, "selectableFields").map((field) => textAt(field, "jsonPath").replace(/^\./, "")),
    storageApiVersion,
  };
}

function subresourcesOf(kind: string, { hasStatus, scale }: CustomVersion): readonly Subresource[] {
  return [
    ...(hasStatus ? [{ name: "status", kind, verbs: subresourceVerbs }] : []),
    ...(scale ? [{ name: "scale", kind: "Scale", verbs: subresourceVerbs, group: "autoscaling", version: "v1" }] : []),
  ];
}
