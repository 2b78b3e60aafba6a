import { create } from "@bufbuild/protobuf";
import { anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { AppError, hasCode, messageOf } from "@jibe/base";
import { appErrorFromStatus, type GrpcStatus, statusFromError } from "@jibe/go-plugin";
import { type Stack, type StackFrame, StackSchema } from "../gen/generated/shared_pb.ts";
import { stackFrames } from "./stack-frames.ts";

// Go plugins send these two as status Unknown with nothing but the text. It is matched here and nowhere else.
const asyncNotSupportedText = "Plugin does not support asynchronous operations";
const invalidOperationIdText = /operation ID (.*) is invalid/i;

// What object stores say when there is no such object; Velero looks for the same words.
const missingObjectText = /not found|does not exist|nosuchkey|blobnotfound|objectnotexist/i;

/** The plugin starts no asynchronous operations, so none can be asked about. */
export function asyncOperationsNotSupported(): AppError {
  return new AppError("Unsupported", asyncNotSupportedText);
}

/** The plugin knows no operation of that ID. */
export function invalidOperationId(operationId: string): AppError {
  return new AppError("InvalidArgument", `operation ID ${operationId} is invalid`, { fields: { operationId } });
}

/** The error of a call to a plugin: the two known texts come back as themselves, a stack tells where it came from. */
export function errorFromPlugin(status: GrpcStatus): AppError {
  if (status.message.includes(asyncNotSupportedText)) return asyncOperationsNotSupported();
  const invalid = invalidOperationIdText.exec(status.message);
  if (invalid) return invalidOperationId(invalid[1] ?? "");
  const error = appErrorFromStatus(status);
  const frame = originOf(status.details.flatMap((detail) => anyUnpack(detail, StackSchema)?.frames ?? []));
  if (!frame) return error;
  const origin = { "error.file": `${frame.file}:${frame.line}`, "error.function": frame.function };
  return new AppError(error.code, error.message, { fields: { ...error.fields, ...origin } });
}

/** The innermost place, for a panic the one that caused it: what lies further in only recovered. Go sends outermost first. */
function originOf(frames: readonly StackFrame[]): StackFrame | undefined {
  const inner = frames[0]?.file.startsWith("runtime/") ? frames.toReversed() : frames;
  const panic = inner.findLastIndex(({ file }) => file === "runtime/panic.go");
  return inner[panic + 1] ?? inner[0];
}

/** For object stores: an unspecific failure whose text says that the object is missing becomes `NotFound`. */
export function missingObjectError(error: unknown): unknown {
  if (!hasCode(error, "Internal") || !missingObjectText.test(error.message)) return error;
  return new AppError("NotFound", error.message, { fields: error.fields });
}

/** The status of what a plugin's function threw, with its stack. Velero recognises a missing object by the text alone. */
export function statusFromPluginError(thrown: unknown): GrpcStatus {
  const status = statusFromError(thrown);
  const says = hasCode(thrown, "NotFound") && !missingObjectText.test(status.message);
  const message = says ? `${messageOf(thrown)}: not found` : status.message;
  const frames = thrown instanceof Error ? stackFrames(thrown) : [];
  if (frames.length === 0) return { ...status, message };
  const stack: Stack = create(StackSchema, { frames: [...frames] });
  return { ...status, message, details: [anyPack(StackSchema, stack)] };
}
