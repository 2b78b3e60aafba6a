export const nsPerMs = 1_000_000n;

// Well under the 4 MiB that a Go plugin accepts, and large enough that the cost of a message does not show.
const chunkBytes = 128 * 1024;

/** The same bytes in pieces that fit into one message each. */
export async function* splitChunks(body: AsyncIterable<Uint8Array>, maxBytes = chunkBytes): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += maxBytes) yield chunk.subarray(start, start + maxBytes);
  }
}
