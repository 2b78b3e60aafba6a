/**
 * One request of a case. `ID` in any text stands for a name that no other case uses; each case has a namespace of that
 * name. `$name` stands for what an earlier step saved.
 */
export interface RequestStep {
  /** Method and path: `GET /api/v1/namespaces/ID/configmaps`. */
  readonly send: string;
  readonly body?: unknown;
  /** The body as text, where it is not JSON that can be written here. */
  readonly text?: string;
  /** `merge`, `json`, `strategic` and `apply` name the kinds of patch; anything else is the media type itself. */
  readonly as?: string;
  readonly accept?: string;
  /** Repeats the request until the answer has this code or contains this part. */
  readonly until?: { readonly code?: number; readonly body?: unknown };
  /** Keeps parts of the answer for later steps: name to path, as `{ rv: "metadata.resourceVersion" }`. */
  readonly save?: Readonly<Record<string, string>>;
  /** The answer is not compared: the step only prepares. */
  readonly ignored?: true;
}

/** Opens a watch that later steps read from. */
export interface WatchStep {
  readonly watch: string;
  readonly path: string;
}

/** Compares the next events of a watch. */
export interface EventsStep {
  readonly events: string;
  readonly count: number;
  /** Expects the server to end the stream after them. */
  readonly ends?: true;
}

export type Step = RequestStep | WatchStep | EventsStep;

/** Cases by a sentence that says what must hold. */
export type Cases = Readonly<Record<string, readonly Step[]>>;

/** What a step gave, made comparable. */
export interface Outcome {
  readonly code?: number;
  readonly warnings?: readonly string[];
  readonly contentType?: string;
  readonly body?: unknown;
  readonly events?: readonly unknown[];
  readonly ended?: boolean;
}
