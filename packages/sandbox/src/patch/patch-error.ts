/**
 * How the API server answers a patch it cannot apply: `BadRequest` 400 with the message, `Unprocessable` 422 whose
 * body hides the message, `TooLarge` 413, `Internal` 500 with the message.
 */
export type PatchErrorKind = "BadRequest" | "Unprocessable" | "TooLarge" | "Internal";

/** A patch that cannot be read or does not fit its target. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly kind: PatchErrorKind;

  constructor(kind: PatchErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
