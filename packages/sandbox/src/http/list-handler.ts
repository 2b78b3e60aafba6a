import type { ApiContext, Target } from "../api/context.ts";
import { membersOf, prefixesOf } from "../api/encode.ts";
import { listHead, listMetadata, listObjects, type Page } from "../api/list-objects.ts";
import type { ApiRequest, ApiResponse } from "./api-request.ts";
import { encodeShownList, objectForm, type Shown } from "./object-form.ts";

const comma = Buffer.from(",");
const tail = Buffer.from("]}\n");
const chunkBytes = 256 * 1024;

/** How a request wants objects of a type to be shown. */
export const shownBy = ({ type }: Target, { accept, query }: ApiRequest): Shown => ({
  type,
  form: objectForm(accept) ?? "whole",
  includeObject: query.get("includeObject"),
});

// Small lists go out in one piece, with their length.
const streamedFrom = 200;

/** Answers with a page of a list. */
export function handleList(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const page = listObjects(context, target, request.query);
  const shown = shownBy(target, request);
  if (shown.form !== "whole") {
    return { status: 200, body: encodeShownList(context, shown, page.entries, listMetadata(target, page)) };
  }
  const parts = partsOf(target, page);
  return { status: 200, body: page.entries.length > streamedFrom ? inChunks(parts) : Buffer.concat([...parts]) };
}

/** The JSON of a page, put together from stored bytes. */
function* partsOf(target: Target, page: Page): Generator<Buffer> {
  const { item } = prefixesOf(target.type);
  const separator = Buffer.concat([comma, item]);
  yield Buffer.from(listHead(target, page));
  let isFirst = true;
  for (const entry of page.entries) {
    yield isFirst ? item : separator;
    yield membersOf(target.type, entry);
    isFirst = false;
  }
  yield tail;
}

/** Gathers small parts into pieces that are worth sending. One buffer serves for all: each piece is gone before the next. */
function* inChunks(parts: Iterable<Buffer>): Generator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let used = 0;
  for (const part of parts) {
    if (used + part.length > chunkBytes) {
      yield chunk.subarray(0, used);
      used = 0;
    }
    if (part.length > chunkBytes) yield part;
    else used += part.copy(chunk, used);
  }
  yield chunk.subarray(0, used);
}
