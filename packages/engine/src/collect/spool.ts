import type { Scope } from "@jibe/base";
import { bodyFromBytes, type ItemBody } from "../item/item-body.ts";
import type { ScratchFile } from "../ports/scratch.ts";

/** Where a body lies in the spool. */
export interface Extent {
  readonly offset: number;
  readonly length: number;
}

/** Bodies of items that someone may want to see again, in one scratch file. Each is written once and read by its extent. */
export class Spool implements AsyncDisposable {
  readonly #file: ScratchFile;

  constructor(file: ScratchFile) {
    this.#file = file;
  }

  /** Writes the bodies with a single append. */
  async add(bodies: readonly Uint8Array[], scope: Scope): Promise<Extent[]> {
    if (bodies.length === 0) return [];
    let offset = await this.#file.append(bodies.length === 1 ? first(bodies) : Buffer.concat(bodies), scope);
    return bodies.map(({ length }) => {
      const extent = { offset, length };
      offset += length;
      return extent;
    });
  }

  async read({ offset, length }: Extent, scope: Scope): Promise<ItemBody> {
    return bodyFromBytes(await this.#file.read(offset, length, scope));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}

function first(bodies: readonly Uint8Array[]): Uint8Array {
  return bodies[0] ?? new Uint8Array();
}
