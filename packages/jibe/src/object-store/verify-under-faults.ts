import { AppError, type ErrorCode, type Scope, silentLogger } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import { describe, expect, test } from "vitest";
import type { OpenedStore } from "./verify-object-store.ts";

/** Something that goes wrong below a store, and what becomes of the calls that meet it. */
export interface StoreFault {
  /** From now on it goes wrong. */
  begin(): void;
  readonly put: Outcome;
  readonly get: Outcome;
}

/** A store may fail, but then it says so with this code; it may not do half of its work. */
export type Outcome = "done" | ErrorCode;

export interface FaultySite {
  /** An empty store each time. */
  open(): Promise<OpenedStore>;
  /** All is well again. */
  end(): void;
  /** How often something went wrong so far. */
  met(): number;
  readonly faults: Readonly<Record<string, StoreFault>>;
  readonly objectBytes?: number;
}

const scope: Scope = { signal: new AbortController().signal, log: silentLogger };
const mebibyte = 1024 * 1024;

/**
 * The part of the object store contract that counts when things go wrong: an object is stored whole or not at all, what was
 * there stays, half of an object is never taken for the whole, and afterwards the store works on.
 */
export function verifyUnderFaults(name: string, site: FaultySite): void {
  const { objectBytes = 12 * mebibyte } = site;
  const [earlier, later] = [1, 2].map((seed) => content(seed, objectBytes)) as [Buffer, Buffer];
  describe(`${name} keeps the object store contract`, { timeout: 120_000 }, () => {
    for (const [cause, fault] of Object.entries(site.faults)) {
      test(`storing and reading through ${cause}`, async () => {
        await using store = await opened(site);
        await store.put("kept", pieces(earlier), scope);
        const during = async (work: () => Promise<unknown>) => {
          const before = site.met();
          fault.begin();
          const outcome = await outcomeOf(work());
          site.end();
          expect(site.met()).toBeGreaterThan(before);
          return outcome;
        };
        const isStored = fault.put === "done";
        for (const key of isStored ? ["kept"] : ["kept", "new"]) {
          expect(await during(() => store.put(key, pieces(later), scope))).toBe(fault.put);
        }
        expect(await Array.fromAsync(store.list("", scope))).toEqual(["kept"]);
        let got: Buffer | undefined;
        const reading = async () => {
          got = await read(store, "kept");
        };
        expect(await during(reading)).toBe(fault.get);
        if (fault.get !== "done") await reading();
        expect(got?.equals(isStored ? later : earlier)).toBe(true);
        await store.put("new", pieces(later), scope);
        expect((await read(store, "new")).equals(later)).toBe(true);
      });
    }
  });
}

async function opened(site: FaultySite): Promise<ObjectStore & AsyncDisposable> {
  site.end();
  const store = await site.open();
  return { ...store, [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose]?.() };
}

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** Bytes that differ from place to place, so that a part in the wrong place shows. */
function content(seed: number, bytes: number): Buffer {
  const words = Uint32Array.from({ length: bytes / 4 }, (_, index) => Math.imul(index + 1, 2_654_435_761 * seed));
  return Buffer.from(words.buffer);
}

function pieces(bytes: Uint8Array): () => AsyncIterable<Uint8Array> {
  return async function* () {
    for (let at = 0; at < bytes.length; at += mebibyte) yield bytes.subarray(at, at + mebibyte);
  };
}

async function read(store: ObjectStore, key: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(store.get(key, scope)));
}
