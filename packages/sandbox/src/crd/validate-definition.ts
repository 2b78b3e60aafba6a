import { jsonEquals } from "@jibe/base";
import type { FieldProblem } from "../api/api-error.ts";
import { isTree, type KubeObject, listAt, textAt, treeAt } from "../api/kube-object.ts";
import { duplicate, invalid, notSupported, required } from "../schema/field-error.ts";
import { compileSchema } from "../schema/structural-schema.ts";

/** What is wrong with a custom resource definition. */
export function definitionStructureProblems(object: KubeObject, old: KubeObject | undefined): FieldProblem[] {
  const spec = treeAt(object, "spec") ?? {};
  const problems: FieldProblem[] = [];
  const [group, plural] = [textAt(spec, "group"), textAt(spec, "names", "plural")];
  const name = object.metadata.name ?? "";
  if (name !== `${plural}.${group}`) {
    problems.push(invalid("metadata.name", name, `must be spec.names.plural+"."+spec.group`));
  }
  if (group === "") problems.push(required("spec.group"));
  else if (!group.includes("."))
    problems.push(invalid("spec.group", group, "should be a domain with at least one dot"));
  const scopes = ["Cluster", "Namespaced"];
  if (textAt(spec, "scope") === "") problems.push(required("spec.scope"));
  else if (!scopes.includes(textAt(spec, "scope")))
    problems.push(notSupported("spec.scope", textAt(spec, "scope"), scopes));
  problems.push(...versionProblems(object));
  if (plural === "") problems.push(required("spec.names.plural"));
  if (textAt(spec, "names", "kind") === "") problems.push(required("spec.names.kind"));
  problems.push(...storedVersionProblems(object));
  if (old) problems.push(...immutableProblems(object, old));
  return problems;
}

function versionProblems(object: KubeObject): FieldProblem[] {
  const versions = listAt(object, "spec", "versions").filter(isTree);
  const problems: FieldProblem[] = [];
  const stored = versions.filter((version) => version["storage"] === true);
  if (stored.length !== 1) {
    problems.push(
      invalid(
        "spec.versions",
        listAt(object, "spec", "versions"),
        "must have exactly one version marked as storage version",
      ),
    );
  }
  const names = new Set<string>();
  const schemas = versions.map((version) => treeAt(version, "schema", "openAPIV3Schema"));
  const shared = schemas.every((schema) => jsonEquals(schema, schemas[0]));
  for (const [index, version] of versions.entries()) {
    const name = textAt(version, "name");
    if (names.has(name)) problems.push(duplicate(`spec.versions[${index}].name`, name));
    names.add(name);
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (!schemas[index]) problems.push(required(path));
    else if (!shared || index === 0) {
      const at = shared ? "spec.validation.openAPIV3Schema" : path;
      problems.push(...compileSchema(schemas[index], at).problems);
    }
  }
  return problems;
}

function storedVersionProblems(object: KubeObject): FieldProblem[] {
  const stored = listAt(object, "status", "storedVersions");
  const storage = listAt(object, "spec", "versions")
    .filter(isTree)
    .filter((version) => version["storage"] === true);
  if (stored.length === 0) return [invalid("status.storedVersions", null, "must have at least one stored version")];
  const last = textAt(storage.at(-1), "name");
  return stored.includes(last)
    ? []
    : [invalid("status.storedVersions", stored, `must have the storage version ${last}`)];
}

function immutableProblems(object: KubeObject, old: KubeObject): FieldProblem[] {
  const fields = [["scope"], ["group"], ["names", "kind"], ["names", "plural"]];
  return fields.flatMap((path) => {
    const [now, before] = [textAt(object, "spec", ...path), textAt(old, "spec", ...path)];
    return now === before ? [] : [invalid(`spec.${path.join(".")}`, now, "field is immutable")];
  });
}
