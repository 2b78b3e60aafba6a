export interface BodyPart {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

const mebibyte = 1024 * 1024;
export const firstPartBytes = 8 * mebibyte;

/**
 * How large a part is. S3 takes at most 10,000 parts of one upload: the first thousand are small, which is all that most
 * objects have, later ones larger, so that about 570 GiB fit.
 */
export function partBytesOf(number: number): number {
  return number <= 1000 ? firstPartBytes : 64 * mebibyte;
}

/**
 * Cuts a stream of any length into parts; there is at least one, and it may be empty. Buffers come from `spare` when it has one
 * of the right size: who is done with a part puts it back there.
 */
export async function* bodyParts(body: AsyncIterable<Uint8Array>, spare: Buffer[]): AsyncGenerator<BodyPart> {
  let number = 1;
  let buffer = take(spare, partBytesOf(number));
  let used = 0;
  for await (const chunk of body) {
    for (let done = 0; done < chunk.length; ) {
      if (used === buffer.length) {
        yield { number, bytes: buffer, isLast: false };
        number++;
        buffer = take(spare, partBytesOf(number));
        used = 0;
      }
      const size = Math.min(chunk.length - done, buffer.length - used);
      buffer.set(chunk.subarray(done, done + size), used);
      done += size;
      used += size;
    }
  }
  yield { number, bytes: buffer.subarray(0, used), isLast: true };
}

function take(spare: Buffer[], size: number): Buffer {
  const buffer = spare.pop();
  return buffer?.length === size ? buffer : Buffer.allocUnsafeSlow(size);
}
