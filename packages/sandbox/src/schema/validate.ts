import { jsonEquals } from "@jibe/base";
import type { FieldError } from "./field-error.ts";
import { isJsonObject, type JsonObject } from "./json-object.ts";
import { listDuplicates } from "./list-duplicates.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { Subject } from "./subject.ts";
import { checkList, checkObject } from "./validate-containers.ts";
import { checkJunctors } from "./validate-junctors.ts";
import { checkEnum, checkFormat, checkNumber, checkString, checkType, isNumber } from "./validate-scalars.ts";
import { ValidationResult } from "./validation-result.ts";

/**
 * Checks a custom resource as the API server does. With the stored object given, what did not change is not reported
 * (ratcheting), so that a stricter schema does not lock older objects. CEL rules are not evaluated.
 */
export function validate(schema: StructuralSchema, object: unknown, oldObject?: unknown): FieldError[] {
  return validateSubject({ schema, value: object, path: "", old: oldObject });
}

/** The same for a part of an object, such as its status. */
export const validateAt = (schema: StructuralSchema, value: unknown, path: string, old?: unknown): FieldError[] =>
  validateSubject({ schema, value, path, old });

function validateSubject(subject: Subject): FieldError[] {
  const { schema, value, path, old } = subject;
  const { errors } = check(subject);
  const hadDuplicates = old !== undefined && listDuplicates(schema, old, path).length > 0;
  return hadDuplicates ? errors : [...errors, ...listDuplicates(schema, value, path)];
}

function check(subject: Subject): ValidationResult {
  const result = checkAll(subject);
  if (result.isValid || subject.old === undefined || !jsonEquals(subject.value, subject.old)) return result;
  const ratcheted = new ValidationResult();
  ratcheted.matches = result.matches;
  return ratcheted;
}

function checkAll(subject: Subject): ValidationResult {
  const { schema, value } = subject;
  const result = new ValidationResult();
  if (value === null) return result.merge(checkType(subject)).merge(checkEnum(subject));
  const run = (part: ValidationResult) => result.merge(part).matched();
  const isTyped = (schema.type ?? "") !== "" || schema["x-kubernetes-int-or-string"] || (schema.format ?? "") !== "";
  if (isTyped) run(checkType(subject));
  run(checkJunctors(subject, check));
  if (typeof value === "string") run(checkString(subject)).merge(checkFormat(subject));
  if (isNumber(value)) run(checkNumber(subject));
  if (Array.isArray(value)) run(checkList(subject, value, check));
  run(checkEnum(subject));
  if (isJsonObject(value)) run(checkObject(subject, value as JsonObject, check));
  return result.matched();
}
