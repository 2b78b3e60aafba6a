import type { ApiGroup, DiscoveryFailure, ResourceType } from "./discovery.ts";

/** A JSON document whose fields are looked at one by one. */
export type Document = Readonly<Record<string, unknown>>;

/** A part of what a server serves. */
export interface DiscoveryParts {
  readonly groups: readonly ApiGroup[];
  readonly resources: readonly ResourceType[];
  readonly failures: readonly DiscoveryFailure[];
}

export const noParts: DiscoveryParts = { groups: [], resources: [], failures: [] };

export function joinParts(parts: readonly DiscoveryParts[]): DiscoveryParts {
  return {
    groups: parts.flatMap(({ groups }) => groups),
    resources: parts.flatMap(({ resources }) => resources),
    failures: parts.flatMap(({ failures }) => failures),
  };
}

export function documents(value: unknown): readonly Document[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

export function document(value: unknown): Document {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
