import { AppError, jsonEquals } from "@jibe/base";
import { bodyFromBytes, type ItemBody } from "@jibe/engine";

/**
 * The body that a plugin answered. The one that was sent is kept when nothing changed, so that its bytes stay those of the
 * API server: Go plugins write keys in another order, which keeps the length. Only then are both parsed.
 */
export function bodyFromPlugin(answer: Uint8Array, sent: ItemBody): ItemBody {
  if (answer.length === 0) throw new AppError("DataLoss", "the plugin answered without an item");
  const body = bodyFromBytes(answer);
  if (answer.length !== sent.bytes.length) return body;
  if (Buffer.compare(answer, sent.bytes) === 0) return sent;
  return jsonEquals(body.object, sent.object) ? sent : body;
}
