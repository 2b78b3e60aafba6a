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
  const chunks = chunksOf(target, page);
  return { status: 200, body: page.entries.length > streamedFrom ? chunks : Buffer.concat([...chunks]) };
}

/** The JSON of a page, put together from stored bytes in pieces that are worth sending. */
function* chunksOf(target: Target, page: Page): Generator<Buffer> {
  const { item } = prefixesOf(target.type);
  const separator = Buffer.concat([comma, item]);
  let parts: Buffer[] = [Buffer.from(listHead(target, page))];
  let size = 0;
  let isFirst = true;
  for (const entry of page.entries) {
    const bytes = membersOf(target.type, entry);
    parts.push(isFirst ? item : separator, bytes);
    isFirst = false;
    size += separator.length + bytes.length;
    if (size < chunkBytes) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  parts.push(tail);
  yield Buffer.concat(parts);
}
