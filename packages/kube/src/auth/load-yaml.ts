import {
  boolYaml11Tag,
  FAILSAFE_SCHEMA,
  floatCoreTag,
  intYaml11Tag,
  loadAll,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
} from "js-yaml";

// The scalars as Kubernetes' own programs read them: YAML 1.1 without timestamps and without base-60 numbers.
const schema = FAILSAFE_SCHEMA.withTags(
  nullYaml11Tag,
  boolYaml11Tag,
  {
    ...intYaml11Tag,
    resolve: (source, isExplicit, tagName) =>
      source.includes(":") ? NOT_RESOLVED : intYaml11Tag.resolve(source, isExplicit, tagName),
  },
  floatCoreTag,
  mergeTag,
);

/** Reads the first document of a YAML (or JSON) text; undefined when there is none. */
export function loadYaml(text: string): unknown {
  return loadAll(text, { schema })[0];
}
