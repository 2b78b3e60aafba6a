/** Turns a location's keys into those of its bucket and back. */
export interface KeyPrefix {
  full(key: string): string;
  relative(key: string): string;
}

/** The prefix of a storage location; slashes around it do not count, and it may be empty. */
export function keyPrefix(prefix: string): KeyPrefix {
  const trimmed = trimSlashes(prefix);
  const start = trimmed === "" ? "" : `${trimmed}/`;
  return { full: (key) => start + key, relative: (key) => key.slice(start.length) };
}

/** Removes slashes from both ends. */
export function trimSlashes(text: string): string {
  return text.replace(/^\/+/, "").replace(/\/+$/, "");
}
