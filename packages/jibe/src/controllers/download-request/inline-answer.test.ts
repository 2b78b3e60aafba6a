import { randomBytes } from "node:crypto";
import type { Cluster } from "@jibe/engine";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import type { DownloadRequest } from "../../api/resources.ts";
import { answerInline } from "./inline-answer.ts";

const request: DownloadRequest = {
  apiVersion: "velero.io/v1",
  kind: "DownloadRequest",
  metadata: { name: "logs", namespace: "velero", uid: "u1" },
  spec: { target: { kind: "BackupLog", name: "nightly" } },
};

interface Part {
  readonly metadata: { readonly ownerReferences: readonly object[]; readonly labels: Readonly<Record<string, string>> };
  readonly data: { readonly content: string };
}

/** Keeps what is created, in its order. */
function collecting(): { readonly cluster: Pick<Cluster, "create">; readonly made: Part[] } {
  const made: Part[] = [];
  const create: Cluster["create"] = async (_type, { body }) => {
    made.push(body.object as unknown as Part);
    return body;
  };
  return { cluster: { create }, made };
}

test("a file is answered by Secrets of at most 700 KiB each, which belong to the request", async () => {
  using scope = testScope();
  const { cluster, made } = collecting();
  const content = randomBytes(1_500_000);
  async function* chunks() {
    for (let at = 0; at < content.length; at += 64 * 1024) yield content.subarray(at, at + 64 * 1024);
  }
  expect(await answerInline(request, chunks(), cluster, scope)).toBe(3);
  const bytes = made.map(({ data }) => Buffer.from(data.content, "base64"));
  expect(Buffer.concat(bytes).equals(content)).toBe(true);
  for (const part of bytes) expect(part.length).toBeLessThanOrEqual(700 * 1024);
  for (const [index, { metadata }] of made.entries()) {
    expect(metadata.labels["jibe.io/download-part"]).toBe(String(index));
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: "velero.io/v1", kind: "DownloadRequest", name: "logs", uid: "u1" },
    ]);
  }
});
