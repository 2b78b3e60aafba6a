import { randomUUID } from "node:crypto";
import { AppError, type Clock, type Scope, withDeadline } from "@jibe/base";
import { inlineLabels } from "../../api/inline-download.ts";
import { annotations } from "../../api/names.ts";
import { coreTypes, veleroTypes } from "../../api/resource-types.ts";
import type { DownloadRequest, DownloadTargetKind } from "../../api/resources.ts";
import type { ClusterAccess } from "../cluster-access.ts";
import { fetchUrl, type UrlTrust } from "./fetch-url.ts";

const pollMs = 50;

export interface DownloadOptions extends UrlTrust {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * The content of a file of a backup or restore, as stored. Asks the server to answer through the Kubernetes API; a server that
 * does not know how (Velero) gives a URL, which is fetched instead. Fails with `NotFound` when the file does not exist.
 */
export async function* downloadFile(
  target: { readonly kind: DownloadTargetKind; readonly name: string },
  options: DownloadOptions,
  scope: Scope,
): AsyncGenerator<Uint8Array> {
  const { access, clock, timeoutMs } = options;
  const request = await access.create<DownloadRequest>(
    veleroTypes.downloadRequest,
    {
      apiVersion: "velero.io/v1",
      kind: "DownloadRequest",
      metadata: {
        name: `${target.name}-${randomUUID()}`.slice(-253),
        namespace: access.namespace,
        // Archives can be large: they come from the store itself.
        ...(target.kind === "BackupContents" ? {} : { annotations: { [annotations.inline]: "true" } }),
      },
      spec: { target: { ...target } },
    },
    scope,
  );
  const { name } = request.metadata;
  try {
    const what = `the server's answer to the download request for ${target.kind} of ${JSON.stringify(target.name)}`;
    const url = await withDeadline({ ms: timeoutMs, clock, what }, scope, (inner) =>
      answerTo(name, access, clock, inner),
    );
    if (url.startsWith("inline:"))
      yield* inlineContent(request, Number(url.slice("inline:".length)), target, access, scope);
    else yield* fetchUrl(url, options, scope);
  } finally {
    // The server removes it after ten minutes anyway.
    await access.delete(veleroTypes.downloadRequest, name, scope).catch(() => {});
  }
}

async function answerTo(name: string, access: ClusterAccess, clock: Clock, scope: Scope): Promise<string> {
  while (true) {
    const request = await access.get<DownloadRequest>(veleroTypes.downloadRequest, name, scope);
    if (request.status?.downloadURL) return request.status.downloadURL;
    await clock.sleep(pollMs, scope);
  }
}

async function* inlineContent(
  request: DownloadRequest,
  parts: number,
  target: { readonly kind: string; readonly name: string },
  access: ClusterAccess,
  scope: Scope,
): AsyncGenerator<Uint8Array> {
  const labelSelector = `${inlineLabels.request}=${request.metadata.uid}`;
  const secrets = await access.list(coreTypes.secret, labelSelector, scope);
  const byPart = new Map(secrets.map((secret) => [Number(secret.metadata.labels?.[inlineLabels.part]), secret]));
  let size = 0;
  for (let part = 0; part < parts; part++) {
    const data = byPart.get(part)?.["data"] as { content?: string } | undefined;
    if (!data)
      throw new AppError(
        "DataLoss",
        `part ${part} of ${target.kind} of ${JSON.stringify(target.name)} is missing; try again`,
      );
    const bytes = Buffer.from(data.content ?? "", "base64");
    size += bytes.length;
    yield bytes;
  }
  if (size === 0) throw new AppError("NotFound", `${target.kind} of ${JSON.stringify(target.name)} not found`);
}
