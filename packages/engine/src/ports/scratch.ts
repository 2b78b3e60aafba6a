import type { Scope } from "@jibe/base";

/** A temporary file: written once from front to back, then read at random. Readable by nobody else; removed when disposed. */
export interface ScratchFile extends AsyncDisposable {
  /** Appends and returns where the bytes begin. Calls are served in order. Fails with `Unavailable` when the disk is full. */
  append(bytes: Uint8Array, scope: Scope): Promise<number>;
  read(offset: number, length: number, scope: Scope): Promise<Uint8Array>;
  /** The whole content from the start, in large chunks. */
  stream(scope: Scope): AsyncIterable<Uint8Array>;
  readonly size: number;
}

/** Where large intermediate results are spilled. */
export interface Scratch {
  create(name: string, scope: Scope): Promise<ScratchFile>;
}
