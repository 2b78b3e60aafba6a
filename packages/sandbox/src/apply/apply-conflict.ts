import { goQuote } from "../schema/go-format.ts";
import type { FieldSet } from "./field-set.ts";
import type { Managed, Manager } from "./managed-entries.ts";
import { pathText } from "./path-element.ts";

export interface ConflictCause {
  readonly reason: "FieldManagerConflict";
  readonly message: string;
  readonly field: string;
}

/** Others own what was to be applied, and they see it otherwise. Answered as 409 `Conflict` with these causes. */
export class ApplyConflict extends Error {
  override readonly name = "ApplyConflict";
  readonly causes: readonly ConflictCause[];

  constructor(conflicts: ReadonlyMap<string, FieldSet>, managed: Managed) {
    const found = [...conflicts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([key, fields]) => {
        const owner = managed.get(key);
        return owner ? [{ owner: ownerText(owner), paths: [...fields.paths()].map(pathText) }] : [];
      });
    super(messageOf(found));
    this.causes = found.flatMap(({ owner, paths }) =>
      paths.map((field) => ({ reason: "FieldManagerConflict" as const, message: `conflict with ${owner}`, field })),
    );
  }
}

interface Contested {
  readonly owner: string;
  readonly paths: readonly string[];
}

function messageOf(found: readonly Contested[]): string {
  const count = found.reduce((sum, { paths }) => sum + paths.length, 0);
  const [first] = found;
  if (count === 1 && first) return `Apply failed with 1 conflict: conflict with ${first.owner}: ${first.paths[0]}`;
  const lines = found.flatMap(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
}

function ownerText({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = goQuote(manager) + (subresource ? ` with subresource ${goQuote(subresource)}` : "");
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
