import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { AppError, type ErrorCode, messageOf } from "@jibe/base";
import { StatusSchema } from "./gen/google/rpc/status_pb.ts";

/** The end of a call as the wire tells it. */
export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
  readonly details: readonly Any[];
}

const detailsKey = "grpc-status-details-bin";

const codeFromGrpc: Readonly<Record<number, ErrorCode>> = {
  [status.CANCELLED]: "Unavailable",
  [status.ABORTED]: "Unavailable",
  [status.INVALID_ARGUMENT]: "InvalidArgument",
  [status.DEADLINE_EXCEEDED]: "DeadlineExceeded",
  [status.NOT_FOUND]: "NotFound",
  [status.ALREADY_EXISTS]: "AlreadyExists",
  [status.PERMISSION_DENIED]: "PermissionDenied",
  [status.RESOURCE_EXHAUSTED]: "InvalidArgument", // a message over the peer's limit; again is no better
  [status.FAILED_PRECONDITION]: "Conflict",
  [status.OUT_OF_RANGE]: "InvalidArgument",
  [status.UNIMPLEMENTED]: "Unsupported",
  [status.UNAVAILABLE]: "Unavailable",
  [status.DATA_LOSS]: "DataLoss",
  [status.UNAUTHENTICATED]: "PermissionDenied",
};

// An unexpected failure travels as Unknown, as Go servers send it.
const grpcFromCode: Readonly<Record<ErrorCode, number>> = {
  NotFound: status.NOT_FOUND,
  AlreadyExists: status.ALREADY_EXISTS,
  Conflict: status.FAILED_PRECONDITION,
  InvalidArgument: status.INVALID_ARGUMENT,
  PermissionDenied: status.PERMISSION_DENIED,
  Unavailable: status.UNAVAILABLE,
  DeadlineExceeded: status.DEADLINE_EXCEEDED,
  Unsupported: status.UNIMPLEMENTED,
  DataLoss: status.DATA_LOSS,
  Internal: status.UNKNOWN,
};

/** The error code that a gRPC status code stands for. */
export function errorCodeOf(grpcCode: number): ErrorCode {
  return codeFromGrpc[grpcCode] ?? "Internal";
}

/** Turns a failed call's status into an `AppError`. Callers with richer knowledge of the peer bring their own. */
export function appErrorFromStatus({ code, message }: GrpcStatus): AppError {
  return new AppError(errorCodeOf(code), message === "" ? `plugin answered ${status[code] ?? code}` : message, {
    fields: { grpcCode: status[code] ?? String(code) },
  });
}

/** The status that tells a thrown value to the other side. */
export function statusFromError(error: unknown): GrpcStatus {
  const code = error instanceof AppError ? grpcFromCode[error.code] : status.UNKNOWN;
  return { code, message: messageOf(error), details: [] };
}

/** Whether a value is the error that grpc-js gives for a failed call. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "metadata" in error && error.metadata instanceof Metadata;
}

/** A failed call's status, with its details. Details that cannot be read are left out: the text matters more. */
export function statusFromServiceError({ code, details, metadata }: ServiceError): GrpcStatus {
  const [raw] = metadata.get(detailsKey);
  return { code, message: details, details: typeof raw === "object" ? detailsFromBytes(raw) : [] };
}

/** The details in a status's trailer. */
export function detailsFromBytes(bytes: Uint8Array): readonly Any[] {
  try {
    return fromBinary(StatusSchema, bytes).details;
  } catch {
    return [];
  }
}

/** What grpc-js wants from a failed handler. */
export function serverStatus({ code, message, details }: GrpcStatus): {
  code: number;
  details: string;
  metadata: Metadata;
} {
  const metadata = new Metadata();
  if (details.length > 0) {
    const bytes = toBinary(StatusSchema, {
      $typeName: "google.rpc.Status",
      code,
      message,
      details: [...details],
    });
    metadata.set(detailsKey, Buffer.from(bytes));
  }
  return { code, details: message, metadata };
}
