import { messageOf } from "@jibe/base";
import type { FilterPolicies } from "./filter-policies.ts";
import {
  type IncludeExcludePolicy,
  type PolicyDocument,
  readPolicyDocument,
  type VolumeConditions,
  type VolumePolicyAction,
} from "./policy-document.ts";

export type { IncludeExcludePolicy, VolumeActionType, VolumePolicyAction } from "./policy-document.ts";

import { nanosFrom } from "./quantity.ts";
import { invalid, unreadable } from "./read-values.ts";
import { type VolumeFacts, type VolumeFactsInput, volumeFacts } from "./volume-facts.ts";

/** The policies that a backup's ConfigMap holds. */
export interface ResourcePolicies {
  readonly includeExclude?: IncludeExcludePolicy;
  readonly filters?: FilterPolicies;
  /** What the first matching volume policy says; `undefined` when none matches. */
  volumeAction(input: VolumeFactsInput): VolumePolicyAction | undefined;
}

/** A ConfigMap, as far as policies need it. */
export interface PolicyConfigMap {
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * Reads the policies from their ConfigMap. `parseYaml` turns the text into plain values. Anything unknown or impossible fails with
 * `InvalidArgument` and a text that says what and where.
 */
export function resourcePoliciesFrom(
  configMap: PolicyConfigMap,
  parseYaml: (text: string) => unknown,
): ResourcePolicies {
  return resourcePolicies(policyDocumentFrom(configMap, parseYaml));
}

/** The document in a ConfigMap, which must hold nothing else. */
export function policyDocumentFrom(configMap: PolicyConfigMap, parseYaml: (text: string) => unknown): PolicyDocument {
  const texts = Object.values(configMap.data);
  const [text] = texts;
  if (text === undefined || texts.length !== 1) {
    throw unreadable(`illegal resource policies ${configMap.namespace}/${configMap.name} configmap`);
  }
  let parsed: unknown;
  try {
    parsed = parseYaml(text);
  } catch (error) {
    throw unreadable(`failed to decode yaml data into resource policies  ${messageOf(error)}`);
  }
  return readPolicyDocument(parsed);
}

function resourcePolicies({ volumePolicies, includeExclude, filters }: PolicyDocument): ResourcePolicies {
  const compiled = volumePolicies.map(({ conditions, action }) => ({ matches: matcherOf(conditions), action }));
  if (includeExclude) validateIncludeExclude(includeExclude);
  return {
    ...(includeExclude ? { includeExclude } : {}),
    ...(filters.clusterScoped.length + filters.namespaced.length > 0 ? { filters } : {}),
    volumeAction(input) {
      const facts = volumeFacts(input);
      return compiled.find(({ matches }) => matches(facts))?.action;
    },
  };
}

function validateIncludeExclude(policy: IncludeExcludePolicy): void {
  const scopes = [
    [policy.includedClusterScopedResources, policy.excludedClusterScopedResources],
    [policy.includedNamespaceScopedResources, policy.excludedNamespaceScopedResources],
  ] as const;
  for (const [includes, excludes] of scopes) {
    if (includes.includes("*") || excludes.includes("*")) {
      throw invalid("cannot use '*' in includes or excludes filters in the policy");
    }
    const both = [...excludes].sort().find((name) => includes.includes(name));
    if (both !== undefined) throw invalid(`excludes list cannot contain an item in the includes list: ${both}`);
  }
}

type Condition = (facts: VolumeFacts) => boolean;

function matcherOf(conditions: VolumeConditions): Condition {
  const { storageClass = [], volumeTypes = [], pvcPhase = [], pvcLabels = {}, pvcVolumeMode = "" } = conditions;
  const inRange = capacityRange(conditions.capacity ?? "");
  const accessModes = new Set(conditions.pvcAccessModes ?? []);
  const anyOf = (wanted: readonly string[], actual: string) => wanted.length === 0 || wanted.includes(actual);
  return (facts) =>
    inRange(facts.capacity) &&
    anyOf(storageClass, facts.storageClass) &&
    matchesNfs(conditions.nfs, facts.nfs) &&
    matchesCsi(conditions.csi, facts.csi) &&
    anyOf(volumeTypes, facts.volumeType) &&
    Object.entries(pvcLabels).every(([key, value]) => facts.claimLabels[key] === value) &&
    anyOf(pvcPhase, facts.claimPhase) &&
    (pvcVolumeMode === "" || pvcVolumeMode === facts.claimVolumeMode) &&
    (accessModes.size === 0 ||
      (facts.claimAccessModes.length === conditions.pvcAccessModes?.length &&
        facts.claimAccessModes.every((mode) => accessModes.has(mode))));
}

/** `low,high`, both inclusive; an empty side is open. */
function capacityRange(text: string): (capacity: bigint) => boolean {
  const parts = (text === "" ? "," : text).split(",").map((part) => part.trim());
  if (parts.length !== 2) throw invalid(`wrong format of Capacity ${text}`);
  const [low = 0n, high = 0n] = parts.map((part) => {
    try {
      return part === "" ? 0n : nanosFrom(part);
    } catch (error) {
      throw invalid(`wrong format of Capacity ${part} with err ${messageOf(error)}`);
    }
  });
  if (high < low && high !== 0n) throw invalid(`illegal values for capacity ${text}`);
  return (capacity) => capacity >= low && (high === 0n || capacity <= high);
}

function matchesNfs(wanted: VolumeConditions["nfs"], actual: VolumeFacts["nfs"]): boolean {
  if (!wanted) return true;
  if (!actual) return false;
  return (!wanted.path || wanted.path === actual.path) && (!wanted.server || wanted.server === actual.server);
}

function matchesCsi(wanted: VolumeConditions["csi"], actual: VolumeFacts["csi"]): boolean {
  if (!wanted) return true;
  if (!actual) return false;
  if (!wanted.driver) return true;
  const attributes = Object.entries(wanted.volumeAttributes ?? {});
  return wanted.driver === actual.driver && attributes.every(([key, value]) => actual.volumeAttributes[key] === value);
}
