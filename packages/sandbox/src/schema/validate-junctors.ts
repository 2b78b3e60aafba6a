import { invalid } from "./field-error.ts";
import { goQuote } from "./go-format.ts";
import type { Check, Subject } from "./subject.ts";
import { ValidationResult } from "./validation-result.ts";

export function checkJunctors(subject: Subject, check: Check): ValidationResult {
  const result = new ValidationResult();
  const { anyOf = [], oneOf = [], allOf = [], not } = subject.schema;
  if (anyOf.length > 0) result.merge(checkAnyOf(subject, check));
  if (oneOf.length > 0) result.merge(checkOneOf(subject, check));
  if (allOf.length > 0) result.merge(checkAllOf(subject, check));
  if (not && check({ ...subject, schema: not, old: undefined }).isValid) {
    result.add(failure(`${goQuote(subject.path)} must not validate the schema (not)`));
  }
  return result.matched();
}

const failure = (detail: string) => invalid("<nil>", "", detail);
const checkWith = (subject: Subject, schema: Subject["schema"], check: Check) =>
  check({ ...subject, schema, old: undefined });

const nearest = (results: readonly ValidationResult[]) =>
  results.reduce<ValidationResult | undefined>(
    (best, next) => (best && best.matches >= next.matches ? best : next),
    undefined,
  );

function checkAnyOf(subject: Subject, check: Check): ValidationResult {
  const result = new ValidationResult();
  const failures: ValidationResult[] = [];
  for (const schema of subject.schema.anyOf ?? []) {
    const alternative = checkWith(subject, schema, check);
    if (alternative.isValid) return result.merge(alternative);
    failures.push(alternative);
  }
  result.add(failure(`${goQuote(subject.path)} must validate at least one schema (anyOf)`));
  const best = nearest(failures);
  return best ? result.merge(best) : result;
}

function checkOneOf(subject: Subject, check: Check): ValidationResult {
  const result = new ValidationResult();
  const alternatives = (subject.schema.oneOf ?? []).map((schema) => checkWith(subject, schema, check));
  const valid = alternatives.filter((alternative) => alternative.isValid);
  const [only] = valid;
  if (valid.length === 1 && only) return result.merge(only);
  const why = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  result.add(failure(`${goQuote(subject.path)} must validate one and only one schema (oneOf). ${why}`));
  const best = valid.length === 0 ? nearest(alternatives) : undefined;
  return best ? result.merge(best) : result;
}

function checkAllOf(subject: Subject, check: Check): ValidationResult {
  const result = new ValidationResult();
  const parts = (subject.schema.allOf ?? []).map((schema) => checkWith(subject, schema, check));
  for (const part of parts) result.merge(part);
  const valid = parts.filter((part) => part.isValid).length;
  if (valid === parts.length) return result;
  const none = valid === 0 ? ". None validated" : "";
  return result.add(failure(`${goQuote(subject.path)} must validate all the schemas (allOf)${none}`));
}
