import { AppError, type LabelSelector, messageOf } from "@jibe/base";

export interface PatchStep {
  readonly operation: string;
  readonly from?: string;
  readonly path: string;
  readonly value?: string;
}

export interface ModifierConditions {
  readonly groupResource: string;
  readonly namespaces?: readonly string[];
  readonly resourceNameRegex?: string;
  readonly labelSelector?: LabelSelector;
  readonly matches?: readonly { readonly path: string; readonly value?: string }[];
}

/** One rule: when it holds for an item, its patches of one kind are applied. */
export interface ModifierRule {
  readonly conditions: ModifierConditions;
  readonly patches: readonly PatchStep[];
  /** Parsed patch documents. */
  readonly mergePatches: readonly unknown[];
  readonly strategicPatches: readonly unknown[];
}

export interface ResourceModifiers {
  readonly rules: readonly ModifierRule[];
}

export type ParseYaml = (text: string) => unknown;

/**
 * Reads a ConfigMap's rules. The text must be the ConfigMap's only entry. What cannot be read and what is not allowed fails with
 * `InvalidArgument` in Velero's words.
 */
export function parseResourceModifiers(
  data: Readonly<Record<string, string>>,
  parseYaml: ParseYaml,
): ResourceModifiers {
  const [text, ...others] = Object.values(data);
  if (text === undefined || others.length > 0)
    throw unreadable("illegal resource modifiers: the configmap must have exactly one entry");
  const document = decode(text, parseYaml, "failed to decode yaml data into resource modifiers, err");
  const { version, resourceModifierRules } = fieldsOf(document, "", {
    version: "string",
    resourceModifierRules: "list",
  });
  if (String(version ?? "").toLowerCase() !== "v1") {
    throw invalid(`unsupported resource modifier version ${String(version ?? "")}`);
  }
  const rules = (resourceModifierRules as unknown[] | undefined) ?? [];
  if (rules.length === 0) throw invalid("resource modifier rules cannot be empty");
  return { rules: rules.map((rule, index) => parseRule(rule, `resourceModifierRules[${index}]`, parseYaml)) };
}

function parseRule(value: unknown, where: string, parseYaml: ParseYaml): ModifierRule {
  const { conditions, patches, mergePatches, strategicPatches } = fieldsOf(value, where, {
    conditions: "map",
    patches: "list",
    mergePatches: "list",
    strategicPatches: "list",
  });
  const lists = [patches, mergePatches, strategicPatches].map((list) => (list as unknown[] | undefined) ?? []);
  const [steps = [], merges = [], strategics = []] = lists;
  const rule = {
    conditions: parseConditions(conditions ?? {}, `${where}.conditions`),
    patches: steps.map((step, index) => parseStep(step, `${where}.patches[${index}]`)),
    mergePatches: merges.map((patch, index) => parsePatchData(patch, `${where}.mergePatches[${index}]`, parseYaml)),
    strategicPatches: strategics.map((patch, index) =>
      parsePatchData(patch, `${where}.strategicPatches[${index}]`, parseYaml),
    ),
  };
  if (lists.filter((list) => list.length > 0).length > 1) {
    throw invalid("only one of patches, mergePatches, strategicPatches can be specified");
  }
  return rule;
}

function parseConditions(value: unknown, where: string): ModifierConditions {
  const fields = fieldsOf(value, where, {
    groupResource: "string",
    namespaces: "list",
    resourceNameRegex: "string",
    labelSelector: "map",
    matches: "list",
  }) as unknown as ModifierConditions;
  if (!fields.groupResource) throw invalid("groupResource cannot be empty");
  for (const [index, match] of (fields.matches ?? []).entries()) {
    const { path } = fieldsOf(match, `${where}.matches[${index}]`, { path: "string", value: "string" });
    if (!path) throw invalid("path is required for match rule");
  }
  requireRegex(fields.resourceNameRegex);
  return fields;
}

function requireRegex(source: string | undefined): void {
  try {
    if (source !== undefined) new RegExp(source, "u");
  } catch (cause) {
    throw new AppError("InvalidArgument", `error in matching regex ${JSON.stringify(source)}`, { cause });
  }
}

const operations: ReadonlySet<string> = new Set(["add", "remove", "replace", "test", "move", "copy"]);

function parseStep(value: unknown, where: string): PatchStep {
  const step = fieldsOf(value, where, { operation: "string", from: "string", path: "string", value: "string" });
  const { operation, path } = step as unknown as PatchStep;
  if (!operation) throw invalid("operation cannot be empty");
  if (!operations.has(operation.toLowerCase())) throw invalid(`unsupported operation ${operation}`);
  if (!path) throw invalid("path cannot be empty");
  return step as unknown as PatchStep;
}

function parsePatchData(value: unknown, where: string, parseYaml: ParseYaml): unknown {
  const { patchData } = fieldsOf(value, where, { patchData: "string" });
  return decode(String(patchData ?? ""), parseYaml, "error in converting YAML to JSON");
}

type Kind = "string" | "list" | "map";

/** The fields of a mapping; one that is unknown, or of another kind than it should be, is refused. */
function fieldsOf(value: unknown, where: string, known: Readonly<Record<string, Kind>>): Record<string, unknown> {
  const context = "failed to decode yaml data into resource modifiers, err: ";
  if (kindOf(value) !== "map") throw unreadable(`${context}${where || "document"} is not a mapping`);
  for (const [key, member] of Object.entries(value as object)) {
    const wanted = Object.hasOwn(known, key) ? known[key] : undefined;
    const name = where === "" ? key : `${where}.${key}`;
    if (wanted === undefined) throw unreadable(`${context}unknown field ${JSON.stringify(name)}`);
    if (member !== null && member !== undefined && kindOf(member) !== wanted) {
      throw unreadable(`${context}${name} is not a ${wanted === "map" ? "mapping" : wanted}`);
    }
  }
  return Object.fromEntries(
    Object.entries(value as object).filter(([, member]) => member !== null && member !== undefined),
  );
}

function kindOf(value: unknown): Kind | "other" {
  if (typeof value === "string") return "string";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" && value !== null ? "map" : "other";
}

function decode(text: string, parseYaml: ParseYaml, what: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    throw unreadable(`${what}: ${messageOf(error)}`);
  }
}

function invalid(message: string): AppError {
  return new AppError("InvalidArgument", message);
}

/** Velero tells text that it cannot read from rules that it does not allow, and so do its users' scripts. */
function unreadable(message: string): AppError {
  return new AppError("InvalidArgument", message, { fields: { isUnreadable: true } });
}
