import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";

/** Writes messages of one type as bytes. */
export function encoder<D extends DescMessage>(schema: D): (message: MessageInitShape<D>) => Buffer {
  return (message) => {
    const bytes = toBinary(schema, create(schema, message));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

/** Reads messages of one type from bytes. */
export function decoder<D extends DescMessage>(schema: D): (bytes: Uint8Array) => MessageShape<D> {
  return (bytes) => fromBinary(schema, bytes);
}
