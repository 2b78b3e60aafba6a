import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { tarBundle } from "./tar-bundle.ts";
import { withoutSecrets } from "./without-secrets.ts";

test("what looks secret is left out, names and references stay", () => {
  const given = {
    metadata: { name: "x", managedFields: [{}], annotations: { note: "keep" } },
    spec: {
      env: [
        { name: "AWS_SECRET_ACCESS_KEY", value: "hush" },
        { name: "MODE", value: "fast" },
      ],
      config: { region: "eu", accessKey: "hush", secretName: "cloud" },
      credential: { name: "cloud", key: "cloud" },
    },
    status: { downloadURL: "https://h/b?X-Amz-Signature=hush&x=1" },
  };
  expect(withoutSecrets(given)).toEqual({
    metadata: { name: "x", annotations: { note: "keep" } },
    spec: {
      env: [
        { name: "AWS_SECRET_ACCESS_KEY", value: "***" },
        { name: "MODE", value: "fast" },
      ],
      config: { region: "eu", accessKey: "***", secretName: "cloud" },
      credential: { name: "cloud", key: "cloud" },
    },
    status: { downloadURL: "https://h/b?X-Amz-Signature=***&x=1" },
  });
});

test("a bundle is a tar whose sums are right", async () => {
  const files = new Map([
    ["a.txt", "hello\n"],
    ["dir/b.txt", "x".repeat(600)],
  ]);
  const tar = gunzipSync(await tarBundle(files, new Date("2026-01-01T00:00:00Z")));
  expect(tar.length).toBe(512 * (2 + 3 + 2));
  expect(tar.toString("ascii", 512, 518)).toBe("hello\n");
  const header = tar.subarray(1024, 1536);
  expect(header.toString("ascii", 0, 9)).toBe("dir/b.txt");
  const stored = Number.parseInt(header.toString("ascii", 148, 154), 8);
  const blanked = Buffer.concat([header.subarray(0, 148), Buffer.from(" ".repeat(8)), header.subarray(156)]);
  expect(blanked.reduce((sum, byte) => sum + byte, 0)).toBe(stored);
});
