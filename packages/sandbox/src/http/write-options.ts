import { type FieldProblem, invalid } from "../api/api-error.ts";
import type { FieldValidation, WriteOptions } from "../api/context.ts";
import { notSupported, tooLong } from "../schema/field-error.ts";
import type { ApiRequest } from "./api-request.ts";

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

/** How a write was asked for in the query. */
export function writeOptions(
  { query, userAgent }: ApiRequest,
  kind: OptionsKind,
  warn: (text: string) => void,
): WriteOptions {
  const manager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const validations = ["", "Ignore", "Strict", "Warn"];
  const problems = [
    ...dryRunProblems(query.getAll("dryRun")),
    ...(validations.includes(validation) ? [] : [notSupported("fieldValidation", validation, validations)]),
    ...(manager.length > 128 ? [tooLong("fieldManager", 128)] : []),
  ];
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", problems);
  return {
    dryRun: query.has("dryRun"),
    fieldManager: manager === "" ? (userAgent.split("/", 1)[0] ?? "") : manager,
    fieldValidation: (validation === "" ? "Warn" : validation) as FieldValidation,
    warn,
  };
}

/** The only dry run there is concerns every stage. */
export function dryRunProblems(values: readonly string[]): FieldProblem[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}
