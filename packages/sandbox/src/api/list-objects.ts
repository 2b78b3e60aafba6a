import { apiVersionOf } from "../registry/resource-type.ts";
import { forbidden as forbiddenValue, notSupported } from "../schema/field-error.ts";
import type { Entry } from "../storage/entry.ts";
import { ApiError, badRequest, expired, invalid } from "./api-error.ts";
import type { ApiContext, Target } from "./context.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import type { Tree } from "./kube-object.ts";
import { type Selector, selectorFrom } from "./selectors.ts";

/** One page of a list. */
export interface Page {
  readonly revision: number;
  readonly entries: readonly Entry[];
  readonly continueToken: string;
  readonly remaining: number | undefined;
}

/** The entries that a list request asks for. */
export function listObjects(context: ApiContext, target: Target, query: URLSearchParams): Page {
  const { type } = target;
  const namespace = type.namespaced ? target.namespace : "";
  const selector = narrowedToName(target, selectorFrom(context, type, query));
  const limit = integerIn(query, "limit") ?? 0;
  const { revision, after, all } = startingPoint(context, target, query, namespace);
  const from = after === "" ? 0 : firstAfter(all, after);
  return takePage(all, { from, limit: limit > 0 ? limit : Number.POSITIVE_INFINITY, selector, revision });
}

const narrowedToName = ({ name }: Target, selector: Selector): Selector =>
  name === "" ? selector : (entry) => entry.name === name && (selector?.(entry) ?? true);

function takePage(
  all: readonly Entry[],
  {
    from,
    limit,
    selector,
    revision,
  }: { readonly from: number; readonly limit: number; readonly selector: Selector; readonly revision: number },
): Page {
  if (!selector) {
    const to = Math.min(all.length, from + limit);
    const entries = from === 0 && to === all.length ? all : all.slice(from, to);
    const last = entries.at(-1);
    if (to === all.length || !last) return { revision, entries, continueToken: "", remaining: undefined };
    return {
      revision,
      entries,
      continueToken: encodeContinue({ revision, after: last.key }),
      remaining: all.length - to,
    };
  }
  const entries: Entry[] = [];
  for (let at = from; at < all.length; at++) {
    const entry = all[at];
    if (!entry || !selector(entry)) continue;
    entries.push(entry);
    // Whether one of the keys that are left matches is not known before they are read.
    if (entries.length === limit && at + 1 < all.length) {
      return { revision, entries, continueToken: encodeContinue({ revision, after: entry.key }), remaining: undefined };
    }
  }
  return { revision, entries, continueToken: "", remaining: undefined };
}

interface StartingPoint {
  readonly revision: number;
  readonly after: string;
  readonly all: readonly Entry[];
}

function startingPoint(
  { store }: ApiContext,
  { type }: Target,
  query: URLSearchParams,
  namespace: string,
): StartingPoint {
  const token = query.get("continue") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  checkVersionOptions(query);
  if (token !== "") {
    if (version !== "" && version !== "0")
      throw badRequest("specifying resource version is not allowed when using continue");
    const { revision, after } = decodeContinue(token);
    if (revision < 0) return { revision: store.revision, after, all: store.list(type.bucket, namespace) };
    if (revision < store.compactedRevision) throw continueExpired(after, store.revision);
    return { revision, after, all: store.listAt(type.bucket, namespace, revision) };
  }
  if (match === "Exact") {
    const revision = parseVersion(version);
    if (revision > store.revision) throw tooLarge(revision, store.revision);
    if (revision < store.compactedRevision) throw expired(`The resourceVersion for the provided list is too old.`);
    return { revision, after: "", all: store.listAt(type.bucket, namespace, revision) };
  }
  if (version !== "" && version !== "0") {
    const revision = parseVersion(version);
    if (revision > store.revision) throw tooLarge(revision, store.revision);
  }
  return { revision: store.revision, after: "", all: store.list(type.bucket, namespace) };
}

/** The real server answers this after waiting a while for the version to appear. */
const tooLarge = (asked: number, current: number) =>
  new ApiError(504, "Timeout", `Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });

function continueExpired(after: string, revision: number): ApiError {
  const text =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted " +
    "between the time the first chunk was returned and now may show up in the list.";
  return expired(text, { resourceVersion: String(revision), continue: encodeContinue({ revision: -1, after }) });
}

function checkVersionOptions(query: URLSearchParams): void {
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const problems = [];
  if (query.has("sendInitialEvents")) {
    problems.push(forbiddenValue("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (match === "") {
    // nothing asked for, nothing wrong
  } else if (version === "") {
    problems.push(
      forbiddenValue("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
    );
  } else if (query.get("continue")) {
    problems.push(
      forbiddenValue("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"),
    );
  } else if (match === "Exact" && version === "0") {
    problems.push(
      forbiddenValue("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    );
  }
  if (match !== "" && match !== "Exact" && match !== "NotOlderThan") {
    problems.push(notSupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
  }
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", problems);
}

export const versionProblem = (text: string) =>
  `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;

/** Reads a resource version of a request. */
export function parseVersion(text: string): number {
  if (!/^[0-9]+$/.test(text)) {
    throw badRequest(`invalid resource version: ${versionProblem(text)}`);
  }
  return Number(text);
}

/** A number of the query that must be one. */
export function integerIn(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key) ?? "";
  if (text !== "" && !/^[-+]?[0-9]+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return text === "" ? undefined : Number(text);
}

export function numberIn(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key);
  return text === null || !/^-?[0-9]+$/.test(text) ? undefined : Number(text);
}

function firstAfter(entries: readonly Entry[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.key ?? "") <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a list says of itself. */
export function listMetadata({ type }: Target, { revision, continueToken, remaining }: Page): Tree {
  return {
    resourceVersion: String(revision),
    ...(continueToken === "" && !type.custom ? {} : { continue: continueToken }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}

/** The head of a list's JSON, up to the first item. */
export function listHead(target: Target, page: Page): string {
  const { listKind } = target.type;
  const [kind, apiVersion] = [JSON.stringify(listKind), JSON.stringify(apiVersionOf(target.type))];
  return `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${JSON.stringify(listMetadata(target, page))},"items":[`;
}
