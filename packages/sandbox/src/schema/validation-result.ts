import type { FieldError } from "./field-error.ts";

/**
 * What checking a value against a schema gave. `matches` counts the checks that passed: of several alternatives that
 * all fail, the API server reports the one that came nearest.
 */
export class ValidationResult {
  readonly errors: FieldError[] = [];
  matches = 0;

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  add(...errors: FieldError[]): this {
    this.errors.push(...errors);
    return this;
  }

  matched(): this {
    this.matches++;
    return this;
  }

  merge(other: ValidationResult): this {
    this.errors.push(...other.errors);
    this.matches += other.matches;
    return this;
  }
}
