import type { Tree } from "./kube-object.ts";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** One thing wrong with an object, in Kubernetes' words. */
export interface FieldProblem {
  readonly type: string;
  readonly field: string;
  readonly message: string;
}

/** What names a type in messages: `deployments.apps`. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** A request that cannot be answered with what was asked for. Holds the `Status` that says why. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** The whole body where it is not a `Status`, such as the plain text for an unknown path. */
  readonly plainText: string | undefined;
  /** What the client should hear besides. */
  warnings: readonly string[] = [];
  /** How an expired list can go on. */
  readonly metadata: Tree;

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    { plainText, metadata = {} }: { readonly plainText?: string; readonly metadata?: Tree } = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.plainText = plainText;
    this.metadata = metadata;
  }

  get status(): Tree {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.metadata,
      status: "Failure",
      message: this.message,
      ...(this.reason === "" ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

const qualified = ({ group, plural }: GroupResource) => (group === "" ? plural : `${plural}.${group}`);

const detailsOf = ({ group, plural }: GroupResource, name: string): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(group === "" ? {} : { group }),
  kind: plural,
});

export const notFound = (type: GroupResource, name: string) =>
  new ApiError(404, "NotFound", `${qualified(type)} "${name}" not found`, detailsOf(type, name));

export const alreadyExists = (type: GroupResource, name: string) =>
  new ApiError(409, "AlreadyExists", `${qualified(type)} "${name}" already exists`, detailsOf(type, name));

export const conflict = (type: GroupResource, name: string, why: string) =>
  new ApiError(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(type)} "${name}": ${why}`,
    detailsOf(type, name),
  );

export const modifiedText =
  "the object has been modified; please apply your changes to the latest version and try again";

export const forbidden = (type: GroupResource, name: string, why: string, causes?: readonly StatusCause[]) =>
  new ApiError(403, "Forbidden", `${qualified(type)}${name === "" ? "" : ` "${name}"`} is forbidden: ${why}`, {
    ...detailsOf(type, name),
    ...(causes ? { causes } : {}),
  });

export const badRequest = (message: string) => new ApiError(400, "BadRequest", message);

export const invalid = (
  kind: { readonly group: string; readonly kind: string },
  name: string,
  problems: readonly FieldProblem[],
) => {
  const texts = [...new Set(problems.map(({ field, message }) => `${field}: ${message}`))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new ApiError(
    422,
    "Invalid",
    `${kind.kind}${kind.group === "" ? "" : `.${kind.group}`} "${name}" is invalid: ${list}`,
    {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      causes: problems.map(({ type, message, field }) => ({ reason: type, message, field })),
    },
  );
};

export const methodNotAllowed = () =>
  new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

export const resourceUnknown = () =>
  new ApiError(404, "NotFound", "the server could not find the requested resource", {});

export const pathUnknown = () =>
  new ApiError(404, "NotFound", "404 page not found", undefined, { plainText: "404 page not found\n" });

export const unsupportedMediaType = (message: string) => new ApiError(415, "UnsupportedMediaType", message);

export const expired = (message: string, metadata: Tree = {}) =>
  new ApiError(410, "Expired", message, undefined, { metadata });

export const notDone = (what: string) => new ApiError(501, "NotImplemented", `the sandbox does not support ${what}`);
