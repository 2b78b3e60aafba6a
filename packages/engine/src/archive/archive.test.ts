import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { systemClock } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryScratch } from "../../test/memory-scratch.ts";
import { type Archive, type ArchiveLimits, openArchive } from "./archive.ts";
import { type ArchiveItem, archivePathsOf } from "./archive-path.ts";
import { createArchiveWriter } from "./archive-writer.ts";
import { rewriteArchive } from "./rewrite-archive.ts";
import { padded, TarHeaders } from "./tar-header.ts";

const scope = testScope();
const scratch = memoryScratch();
const text = (value: string) => new TextEncoder().encode(value);
type TestItem = ArchiveItem & { readonly body?: string };
const item = (groupResource: string, namespace: string, name: string, more: Partial<TestItem> = {}): TestItem => ({
  groupResource,
  version: "v1",
  preferred: true,
  namespace,
  name,
  ...more,
});

async function archiveOf(items: readonly TestItem[]): Promise<Buffer> {
  await using sink = await scratch.create("sink", scope);
  const writer = createArchiveWriter({ sink, clock: systemClock }, scope);
  await Promise.all(
    items.map((each) => writer.writeItem({ ...each, parts: [text(each.body ?? `{"n":"${each.name}"}`)] })),
  );
  await writer.finish();
  const chunks: Uint8Array[] = [];
  for await (const chunk of sink.stream(scope)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const tarOf = (entries: readonly (readonly [string, string])[]) =>
  Buffer.concat([
    ...entries.flatMap(([path, body]) => {
      const bytes = text(body);
      return [
        new TarHeaders().encode({ path, size: bytes.length, mtime: 1 }),
        bytes,
        Buffer.alloc(padded(bytes.length) - bytes.length),
      ];
    }),
    Buffer.alloc(1024),
  ]);

async function* chunksOf(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const open = (bytes: Uint8Array, limits: Partial<ArchiveLimits> = {}): Promise<Archive> =>
  openArchive(chunksOf(bytes), { scratch, limits }, scope);

const longName = `${"n".repeat(90)}.${"m".repeat(90)}.${"o".repeat(60)}`;

describe("an archive written and read again", () => {
  test("has every item under its names, sorted, with its bytes", async () => {
    const bytes = await archiveOf([
      item("pods", "shop", "web-1"),
      item("pods", "shop", "web-0", { body: '{"big":9007199254740993}' }),
      item("pods", "bank", "teller"),
      item("namespaces", "", "shop"),
      item("widgets.example.io", "shop", "w", { version: "v1beta1", preferred: false }),
      item("widgets.example.io", "shop", "w", { version: "v1" }),
      item("configmaps", "shop", longName),
      item("configmaps", "shop", "grüße-世界"),
    ]);
    await using archive = await open(bytes);
    expect(archive.formatVersion).toBe("1.1.0");
    expect(archive.itemCount).toBe(7);
    expect(archive.groupResources()).toEqual(["configmaps", "namespaces", "pods", "widgets.example.io"]);
    expect(archive.namespaces("pods")).toEqual(["bank", "shop"]);
    expect(archive.namespaces("pods", "v1")).toEqual(["bank", "shop"]);
    expect(archive.names("pods", "shop")).toEqual(["web-0", "web-1"]);
    expect(archive.names("configmaps", "shop")).toEqual(["grüße-世界", longName]);
    expect(archive.versions("widgets.example.io")).toEqual([
      { version: "v1-preferredversion".slice(0, 2), preferred: true },
      { version: "v1beta1", preferred: false },
    ]);
    expect(archive.names("widgets.example.io", "shop", "v1beta1")).toEqual(["w"]);
    expect(archive.has({ groupResource: "pods", namespace: "shop", name: "web-0", version: "v1" })).toBe(true);
    expect(archive.has({ groupResource: "pods", namespace: "shop", name: "web-0", version: "v2" })).toBe(false);
    const body = await archive.read({ groupResource: "pods", namespace: "shop", name: "web-0" }, scope);
    expect(Buffer.from(body.bytes).toString()).toBe('{"big":9007199254740993}');
    await expect(archive.read({ groupResource: "pods", namespace: "", name: "web-0" }, scope)).rejects.toMatchObject({
      code: "NotFound",
    });
  });

  test("keeps 20,000 items of changing size apart, over several blocks", async () => {
    const items = Array.from({ length: 20_000 }, (_, index) =>
      item("configmaps", `ns-${index % 7}`, `cm-${index}`, { body: `{"v":"${"x".repeat(index % 300)}${index}"}` }),
    );
    const bytes = await archiveOf(items);
    await using archive = await open(bytes);
    expect(archive.itemCount).toBe(20_000);
    for (const index of [0, 1, 777, 12_345, 19_999]) {
      const { groupResource, namespace, name, body } = items[index] ?? item("", "", "");
      const read = await archive.read({ groupResource, namespace, name, version: "v1" }, scope);
      expect(Buffer.from(read.bytes).toString()).toBe(body);
    }
  });

  test("an archive without items has only its version", async () => {
    await using archive = await open(await archiveOf([]));
    expect([archive.formatVersion, archive.itemCount, archive.hasResources]).toEqual(["1.1.0", 0, false]);
  });

  test("refuses names that would leave their folder, and goes on", async () => {
    await using sink = await scratch.create("sink", scope);
    const writer = createArchiveWriter({ sink, clock: systemClock }, scope);
    for (const name of ["", "..", "a/b"]) {
      await expect(writer.writeItem({ ...item("pods", "shop", name), parts: [text("{}")] })).rejects.toMatchObject({
        code: "InvalidArgument",
      });
    }
    await writer.writeItem({ ...item("pods", "shop", "fine"), parts: [text("{}")] });
    await writer.finish();
    await expect(writer.writeItem({ ...item("pods", "shop", "late"), parts: [text("{}")] })).rejects.toThrow(
      /finished/,
    );
  });

  test("a full disk fails the writer for good", async () => {
    const small = memoryScratch({ capacity: 1000 });
    await using sink = await small.create("sink", scope);
    const writer = createArchiveWriter({ sink, clock: systemClock, parallel: 1 }, scope);
    const noise = Buffer.from(Array.from({ length: 2_000_000 }, (_, index) => (index * 7919) % 251));
    await writer.writeItem({ ...item("pods", "shop", "a"), parts: [noise] });
    await expect(writer.writeItem({ ...item("pods", "shop", "b"), parts: [noise] })).rejects.toMatchObject({
      code: "Unavailable",
    });
    await expect(writer.finish()).rejects.toMatchObject({ code: "Unavailable" });
  });
});

describe("openArchive refuses", () => {
  const whole = () =>
    archiveOf([item("pods", "shop", "a"), item("pods", "shop", "b", { body: `{"x":"${"y".repeat(5000)}"}` })]);
  const cases: Record<
    string,
    { bytes: () => Promise<Uint8Array>; code: string; text: RegExp; limits?: Partial<ArchiveLimits> }
  > = {
    "an empty file": { bytes: async () => new Uint8Array(), code: "DataLoss", text: /empty|truncated/ },
    "what is no gzip": { bytes: async () => text("hello"), code: "DataLoss", text: /corrupt/ },
    "gzip that was cut": {
      bytes: async () => (await whole()).subarray(0, -20),
      code: "DataLoss",
      text: /corrupt or truncated/,
    },
    "gzip with a flipped bit": {
      bytes: async () => {
        const bytes = await whole();
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0x40;
        return bytes;
      },
      code: "DataLoss",
      text: /corrupt|broken/,
    },
    "tar that ends in an entry": {
      bytes: async () => gzipSync(tarOf([["resources/pods/cluster/a.json", "x".repeat(2000)]]).subarray(0, 1024)),
      code: "DataLoss",
      text: /truncated at entry "resources\/pods\/cluster\/a.json"/,
    },
    "tar without an end": {
      bytes: async () => gzipSync(tarOf([["resources/pods/cluster/a.json", "{}"]]).subarray(0, 1024)),
      code: "DataLoss",
      text: /truncated/,
    },
    "a broken header": {
      bytes: async () => {
        const tar = tarOf([
          ["resources/pods/cluster/a.json", "{}"],
          ["resources/pods/cluster/b.json", "{}"],
        ]);
        tar[1024 + 5] = 0x21;
        return gzipSync(tar);
      },
      code: "DataLoss",
      text: /broken tar header at entry "resources\/pods\/cluster\/a.json"/,
    },
    "a path that escapes": {
      bytes: async () => gzipSync(tarOf([["resources/../../etc/passwd", "{}"]])),
      code: "InvalidArgument",
      text: /"resources\/..\/..\/etc\/passwd"/,
    },
    "an absolute path": {
      bytes: async () => gzipSync(tarOf([["/resources/pods/cluster/a.json", "{}"]])),
      code: "InvalidArgument",
      text: /not allowed/,
    },
    "an entry nobody expects": {
      bytes: async () => gzipSync(tarOf([["resources/pods/namespaces/shop/deep/a.json", "{}"]])),
      code: "InvalidArgument",
      text: /not expected/,
    },
    "a link": {
      bytes: async () => {
        const tar = tarOf([["resources/pods/cluster/a.json", ""]]);
        tar.write("2", 156, "latin1");
        tar.write("        ", 148, "latin1");
        const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
        tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
        return gzipSync(tar);
      },
      code: "InvalidArgument",
      text: /neither a file nor a directory/,
    },
    "an entry that comes twice": {
      bytes: async () =>
        gzipSync(
          tarOf([
            ["resources/pods/cluster/a.json", "{}"],
            ["resources/pods/cluster/a.json", "{}"],
          ]),
        ),
      code: "InvalidArgument",
      text: /"pods\/a" twice/,
    },
    "a versioned entry that comes twice": {
      bytes: async () =>
        gzipSync(
          tarOf([
            ["resources/pods/cluster/a.json", "{}"],
            ["resources/pods/v1-preferredversion/cluster/a.json", "{}"],
            ["resources/pods/v1-preferredversion/cluster/a.json", "{}"],
          ]),
        ),
      code: "InvalidArgument",
      text: /twice/,
    },
    "an entry beyond the size limit": {
      bytes: whole,
      limits: { maxEntryBytes: 100 },
      code: "InvalidArgument",
      text: /b.json" is larger/,
    },
    "more entries than allowed": {
      bytes: whole,
      limits: { maxEntries: 3 },
      code: "InvalidArgument",
      text: /more entries/,
    },
    "a bomb": {
      bytes: async () => gzipSync(Buffer.alloc(80 * 1024 * 1024)),
      limits: { maxRatio: 100 },
      code: "InvalidArgument",
      text: /far more/,
    },
  };
  for (const [name, { bytes, code, text: message, limits }] of Object.entries(cases)) {
    test(name, async () => {
      // A bomb of zeros is one end-of-archive mark; it is refused while its padding is read.
      await expect(open(await bytes(), limits)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
      expect([...scratch.open].filter((file) => file.startsWith("archive"))).toEqual([]);
    });
  }

  test("an error of the source passes through, and being stopped too", async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield (await whole()).subarray(0, 10);
      throw new Error("connection reset");
    };
    await expect(openArchive(failing(), { scratch }, scope)).rejects.toThrow("connection reset");
    using stopped = testScope();
    stopped.abort(new Error("enough"));
    await expect(openArchive(chunksOf(await whole()), { scratch }, stopped)).rejects.toThrow("enough");
  });
});

test("rewriteArchive replaces entries in place, keeps the others and appends what is new", async () => {
  const before = await archiveOf([item("pods", "shop", "a"), item("pods", "shop", "b"), item("pods", "shop", "c")]);
  await using sink = await scratch.create("sink", scope);
  const replacements = new Map(
    [item("pods", "shop", "b"), item("secrets", "shop", "new")].flatMap((each) =>
      archivePathsOf(each).map((path) => [path, text(`{"fresh":"${each.name}"}`)] as const),
    ),
  );
  await rewriteArchive(chunksOf(before), { sink, clock: systemClock, replacements }, scope);
  await using archive = await openArchive(sink.stream(scope), { scratch }, scope);
  const read = async (groupResource: string, name: string) =>
    Buffer.from(
      (await archive.read({ groupResource, namespace: "shop", name, version: "v1" }, scope)).bytes,
    ).toString();
  expect(archive.formatVersion).toBe("1.1.0");
  expect(archive.itemCount).toBe(4);
  expect([await read("pods", "a"), await read("pods", "b"), await read("secrets", "new")]).toEqual([
    '{"n":"a"}',
    '{"fresh":"b"}',
    '{"fresh":"new"}',
  ]);
});

describe("GNU tar", () => {
  let dir = "";
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "jibe-archive-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  test("lists and extracts what we write", async () => {
    const bytes = await archiveOf([
      item("pods", "shop", "web"),
      item("configmaps", "shop", longName),
      item("configmaps", "shop", "grüße"),
    ]);
    writeFileSync(join(dir, "b.tar.gz"), bytes);
    const list = execFileSync("tar", ["--quoting-style=literal", "-tvzf", join(dir, "b.tar.gz")])
      .toString()
      .trim()
      .split("\n");
    expect(list).toHaveLength(7);
    expect(list[0]).toMatch(/^-rwxr-xr-x 0\/0 +6 .* metadata\/version$/);
    expect(
      list.some((line) => line.endsWith(`resources/configmaps/v1-preferredversion/namespaces/shop/${longName}.json`)),
    ).toBe(true);
    const one = execFileSync("tar", [
      "-xzOf",
      join(dir, "b.tar.gz"),
      "resources/configmaps/namespaces/shop/grüße.json",
    ]);
    expect(one.toString()).toBe('{"n":"grüße"}');
  });

  for (const format of ["gnu", "pax", "ustar"]) {
    test(`writes ${format} archives that we read, with directories and ./ in front`, async () => {
      const name = format === "ustar" ? "n".repeat(90) : longName;
      const folder = join(dir, "resources/configmaps/namespaces/shop");
      execFileSync("mkdir", ["-p", folder]);
      writeFileSync(join(folder, `${name}.json`), '{"a":1}');
      const packed = execFileSync("tar", [`--format=${format}`, "-C", dir, "-czf", "-", "./resources"], {
        maxBuffer: 1e8,
      });
      expect(gunzipSync(packed).length).toBeGreaterThan(0);
      await using archive = await open(packed);
      expect(archive.names("configmaps", "shop")).toEqual([name]);
    });
  }
});
