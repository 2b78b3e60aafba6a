import { compareBytes, goJson } from "./go-json.ts";

/** The content of a resource list file, in pieces: types and entries sorted, as Go writes a map. One type's entries are held at a time. */
export function* resourceListJson(
  resourceKeys: Iterable<string>,
  entriesOf: (resourceKey: string) => Iterable<string>,
): Generator<string> {
  yield "{";
  for (const [typeIndex, resourceKey] of [...resourceKeys].sort(compareBytes).entries()) {
    yield `${typeIndex === 0 ? "" : ","}${goJson(resourceKey)}:[`;
    for (const [index, entry] of [...entriesOf(resourceKey)].sort(compareBytes).entries()) {
      yield `${index === 0 ? "" : ","}${goJson(entry)}`;
    }
    yield "]";
  }
  yield "}\n";
}
