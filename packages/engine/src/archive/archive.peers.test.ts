import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@jibe/base";
import { tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { memoryScratch } from "../../test/memory-scratch.ts";
import { createArchiveWriter } from "./archive-writer.ts";

// Prints each entry as Go's own tar reader sees it.
const program = `package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	zipped, err := gzip.NewReader(file)
	if err != nil {
		panic(err)
	}
	archive := tar.NewReader(zipped)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
		body, err := io.ReadAll(archive)
		if err != nil {
			panic(err)
		}
		line, _ := json.Marshal(map[string]any{
			"name": header.Name, "mode": header.Mode, "type": string(header.Typeflag), "format": header.Format.String(), "body": string(body),
		})
		fmt.Println(string(line))
	}
}
`;

test("Go's archive/tar reads every entry, with the mode and format that Velero writes", async () => {
  using scope = testScope();
  await using dir = await tempDir("go-tar");
  await using sink = await memoryScratch().create("sink", scope);
  const writer = createArchiveWriter({ sink, clock: systemClock }, scope);
  const names = ["web", "n".repeat(120), `${"n".repeat(90)}.${"m".repeat(120)}`, "grüße"];
  for (const name of names) {
    const bytes = new TextEncoder().encode(JSON.stringify({ name, filler: "x".repeat(400_000) }));
    const item = { groupResource: "configmaps", version: "v1", preferred: true, namespace: "shop", name };
    await writer.writeItem({ ...item, parts: [bytes] });
  }
  await writer.finish();
  const chunks: Uint8Array[] = [];
  for await (const chunk of sink.stream(scope)) chunks.push(chunk);
  writeFileSync(join(dir.path, "b.tar.gz"), Buffer.concat(chunks));
  writeFileSync(join(dir.path, "main.go"), program);
  const output = execFileSync("go", ["run", join(dir.path, "main.go"), join(dir.path, "b.tar.gz")], { maxBuffer: 1e9 });
  const entries = output
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.map(({ name }) => name)).toEqual([
    "metadata/version",
    ...names.flatMap((name) => [
      `resources/configmaps/namespaces/shop/${name}.json`,
      `resources/configmaps/v1-preferredversion/namespaces/shop/${name}.json`,
    ]),
  ]);
  expect(new Set(entries.map(({ mode, type }) => `${mode} ${type}`))).toEqual(new Set([`${0o755} 0`]));
  expect(entries.map(({ format }) => format)).toEqual([
    "USTAR",
    "USTAR",
    "USTAR",
    "PAX",
    "PAX",
    "PAX",
    "PAX",
    "PAX",
    "PAX",
  ]);
  expect(JSON.parse(String(entries[8]?.["body"]))).toMatchObject({ name: "grüße" });
});
