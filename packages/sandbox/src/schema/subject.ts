import type { StructuralSchema } from "./structural-schema.ts";
import type { ValidationResult } from "./validation-result.ts";

/** A value at its path, the schema that it must meet, and what stood there before (undefined when nothing did). */
export interface Subject {
  readonly schema: StructuralSchema;
  readonly value: unknown;
  readonly path: string;
  readonly old?: unknown;
}

/** The whole check of a subject, handed to those that check its parts. */
export type Check = (subject: Subject) => ValidationResult;
