import type { Scope } from "@jibe/base";
import { hasCode } from "@jibe/base";
import { bodyFromObject, type Cluster } from "@jibe/engine";
import { inlineLabels } from "../../api/inline-download.ts";
import { coreTypes } from "../../api/resource-types.ts";
import type { DownloadRequest } from "../../api/resources.ts";

/** Small enough for a Secret with its base64 to stay well below the API server's limit of an object. */
const partBytes = 700 * 1024;

/**
 * Answers a download through Secrets, so that whoever may read the namespace needs no way to the store. They belong to the
 * request and vanish with it. Gives the number of parts.
 */
export async function answerInline(
  request: DownloadRequest,
  content: AsyncIterable<Uint8Array>,
  cluster: Pick<Cluster, "create">,
  scope: Scope,
): Promise<number> {
  const { name, namespace = "", uid = "" } = request.metadata;
  let part = 0;
  for await (const bytes of parts(content)) {
    const secret = bodyFromObject({
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: `${name}-${part}`,
        namespace,
        labels: { [inlineLabels.request]: uid, [inlineLabels.part]: String(part) },
        ownerReferences: [{ apiVersion: "velero.io/v1", kind: "DownloadRequest", name, uid }],
      },
      type: "jibe.io/download",
      data: { content: Buffer.from(bytes).toString("base64") },
    });
    try {
      await cluster.create(coreTypes.secret, { namespace, body: secret }, scope);
    } catch (error) {
      if (!hasCode(error, "AlreadyExists")) throw error; // an earlier attempt made it
    }
    part++;
  }
  return part;
}

async function* parts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending = Buffer.alloc(0);
  for await (const chunk of content) {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= partBytes) {
      yield pending.subarray(0, partBytes);
      pending = pending.subarray(partBytes);
    }
  }
  yield pending;
}
