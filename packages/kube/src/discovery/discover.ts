import { AppError, type Scope } from "@jibe/base";
import type { Transport } from "../http/transport.ts";
import { parseDocument } from "../parse-answer.ts";
import { aggregatedAccept, isAggregated, readAggregated } from "./aggregated.ts";
import { Discovery } from "./discovery.ts";
import { readLegacyCore, readLegacyGroups } from "./legacy.ts";
import { type DiscoveryParts, type Document, joinParts, noParts } from "./parts.ts";

export { type ApiGroup, Discovery, type DiscoveryFailure, type ResourceType } from "./discovery.ts";

/**
 * Asks a server what it serves: two requests where it knows aggregated discovery, else one more per group version. A
 * group that cannot be read is listed as failure; only when there is nothing at all does it throw.
 */
export async function discover(transport: Transport, scope: Scope): Promise<Discovery> {
  const [core, named] = await Promise.all([
    readRoot(transport, "/api", readLegacyCore, scope),
    readRoot(transport, "/apis", readLegacyGroups, scope),
  ]);
  const parts = joinParts([core, named]);
  const [failure] = parts.failures;
  if (parts.resources.length === 0 && failure) throw failure.error;
  return new Discovery(parts);
}

type ReadLegacy = (document: Document, transport: Transport, scope: Scope) => Promise<DiscoveryParts>;

async function readRoot(
  transport: Transport,
  path: string,
  readLegacy: ReadLegacy,
  scope: Scope,
): Promise<DiscoveryParts> {
  const what = `cannot read what ${path} serves`;
  try {
    const { headers, body } = await transport.send(
      {
        method: "GET",
        path,
        accept: aggregatedAccept,
        kind: "discovery",
        idempotent: true,
        what: () => what,
      },
      scope,
    );
    const document = parseDocument(what, body);
    const aggregated = isAggregated(String(headers["content-type"] ?? ""));
    return aggregated ? readAggregated(document) : await readLegacy(document, transport, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    // a server of one group only, such as an aggregated API asked directly, has just one of the two roots
    if (error.code === "NotFound") return noParts;
    return { ...noParts, failures: [{ group: path === "/api" ? "" : "*", version: "", error }] };
  }
}
