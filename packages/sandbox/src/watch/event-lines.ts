import type { ApiContext } from "../api/context.ts";
import { encodeShown, type Shown } from "../http/object-form.ts";
import { apiVersionOf } from "../registry/resource-type.ts";
import type { Entry } from "../storage/entry.ts";

const initialEventsEnd = "k8s.io/initial-events-end";

/** Watch events as lines. */
export class EventLines {
  readonly #context: ApiContext;
  readonly #shown: Shown;
  readonly #apiVersion: string;

  constructor(context: ApiContext, shown: Shown) {
    this.#context = context;
    this.#shown = shown;
    this.#apiVersion = apiVersionOf(shown.type);
  }

  of(event: "ADDED" | "MODIFIED" | "DELETED", entry: Entry): Buffer {
    const object = encodeShown(this.#context, this.#shown, entry);
    return Buffer.concat([Buffer.from(`{"type":"${event}","object":`), object, Buffer.from("}\n")]);
  }

  bookmark(revision: number, endsInitial: boolean): Buffer {
    const annotations = endsInitial ? { annotations: { [initialEventsEnd]: "true" } } : {};
    const metadata = { resourceVersion: String(revision), ...annotations };
    const object = { kind: this.#shown.type.kind, apiVersion: this.#apiVersion, metadata };
    return Buffer.from(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }
}
