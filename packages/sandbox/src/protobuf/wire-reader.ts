import { badRequest } from "../api/api-error.ts";

/** One field as it stands on the wire: a number, or the bytes of a text, message or list. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** Reads the fields of an encoded message, in order. */
export function* wireFields(bytes: Buffer): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw broken();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw broken();
  };
  const take = (length: number): Buffer => {
    if (length < 0 || at + length > bytes.length) throw broken();
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: take(8) };
        break;
      case 2:
        yield { number, value: take(Number(varint())) };
        break;
      case 5:
        yield { number, value: take(4) };
        break;
      default:
        throw broken();
    }
  }
}

const broken = () => badRequest("the body of the request is not a valid protobuf message");
