import type { FieldProblem } from "../api/api-error.ts";
import type { ApiContext } from "../api/context.ts";
import type { KubeObject } from "../api/kube-object.ts";

/** What is particular to the objects of one type. Each part is optional; what is absent is as for any type. */
export interface Strategy {
  /** Fills in what a client may leave out. Runs on every write, before anything is compared or checked. */
  setDefaults?(object: KubeObject): void;
  /** Sets what only the server decides, on a new object. */
  prepareForCreate?(object: KubeObject, context: ApiContext): void;
  /** Takes from the old object what this write may not change. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: ApiContext): void;
  /** The same for a write to a subresource; the default lets `status` alone through. */
  prepareForSubresource?(object: KubeObject, old: KubeObject, subresource: string): void;
  /** What is wrong with an object; `old` is absent when it is new. */
  validate?(object: KubeObject, old: KubeObject | undefined): FieldProblem[];
  /** Parts of the metadata, besides the spec, that a write to `status` leaves alone. */
  readonly statusKeeps?: readonly (readonly string[])[];
  /** What a client should hear about an object that is accepted all the same. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[];
  /** What is wrong with a write to `status`. */
  validateStatus?(object: KubeObject, old: KubeObject): FieldProblem[];
  /** Which names are allowed; DNS subdomains unless said otherwise. */
  validateName?(name: string, isPrefix: boolean): string[];
  /** Takes what the server hands out (addresses, ports) for an object that is about to be stored. */
  allocate?(object: KubeObject, old: KubeObject | undefined, context: ApiContext): FieldProblem[];
  /** Fields that lists can be selected by, besides `metadata.name` and `metadata.namespace`. */
  fields?(object: KubeObject): Readonly<Record<string, string>>;
  /** Names of those fields, to tell an unknown one from an empty one. */
  readonly fieldNames?: readonly string[];
  /** Whether `metadata.generation` counts the changes to what the user asks for. */
  readonly hasGeneration?: boolean;
  /** Whether changing anything but metadata and status raises the generation; else only `spec` counts. */
  readonly generationParts?: readonly string[];
  /** Whether a change of annotations raises the generation too. */
  readonly countsAnnotations?: boolean;
  /** Whether an update must say which version it replaces. */
  readonly requiresVersion?: boolean;
  /** Whether an update of what does not exist creates it. */
  readonly createsOnUpdate?: boolean;
  /** How long a deleted object stays, in seconds; undefined for at once. */
  graceSeconds?(object: KubeObject, asked: number | undefined): number | undefined;
  /** Why an object may not be deleted; undefined when it may. */
  forbidsDelete?(name: string): string | undefined;
  /** Marks an object as being deleted, where that takes more than a time. */
  markDeleted?(object: KubeObject, context: ApiContext): void;
  /** Whether a delete answers with the object instead of a `Status`. */
  readonly returnsDeleted?: boolean;
  /** What the server cascades to by default when nobody asks. */
  readonly defaultPropagation?: "Background" | "Foreground" | "Orphan";
  /** Changes a write to the status makes invalid objects acceptable: the parts of `status` that clients may set on create. */
  readonly keepsStatusOnCreate?: boolean;
}

/** The strategy of a type with nothing particular. */
export const plainStrategy: Strategy = {};
