import { AppError, messageOf } from "@jibe/base";
import type { Backup, Restore, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { type ParseYaml, parseResourceModifiers, type ResourceModifiers } from "../modifiers/parse-modifiers.ts";
import type { FilterPolicies } from "../policies/filter-policies.ts";
import { includesExcludesErrors } from "../select/validate-lists.ts";
import { findFilterPolicies } from "./find-policies.ts";
import { textAt, valueAt } from "./object-edits.ts";

/** Types that belong to a cluster or to the server itself and are never restored. */
export const nonRestorableResources: readonly string[] = [
  "nodes",
  "events",
  "events.events.k8s.io",
  "backups.velero.io",
  "restores.velero.io",
  "resticrepositories.velero.io",
  "csinodes.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
  "backuprepositories.velero.io",
];

/** What the server knows when a restore is validated. */
export interface RestoreSurroundings {
  findBackup(name: string): Backup | undefined;
  /** All backups that bear the schedule's label. */
  backupsOfSchedule(schedule: string): readonly Backup[];
  findLocation(name: string): { readonly phase?: string } | undefined;
  /** A ConfigMap in the restore's own namespace. */
  findConfigMap(name: string): { readonly data?: Readonly<Record<string, string>> } | undefined;
  readonly parseYaml: ParseYaml;
  /** Go duration text for an unset `itemOperationTimeout`. */
  readonly defaultItemOperationTimeout: string;
}

export interface PreparedRestore {
  /** With defaults filled in, also when it is not valid. */
  readonly spec: RestoreSpec;
  /** Empty when the restore may run; then the backup is there. */
  readonly validationErrors: readonly string[];
  readonly backup?: Backup;
  readonly modifiers?: ResourceModifiers;
  readonly policies?: FilterPolicies;
}

/** Checks a Restore and completes its spec, with every error that Velero would report and in its words. */
export function prepareRestore(restore: Restore, surroundings: RestoreSurroundings): PreparedRestore {
  const spec = withDefaults(restore.spec, surroundings);
  const errors = specErrors(restore.spec, spec);
  if (((spec.backupName ?? "") !== "") === ((spec.scheduleName ?? "") !== "")) {
    errors.push("Either a backup or schedule must be specified as a source for the restore, but not both");
    return { spec, validationErrors: errors };
  }
  errors.push(...hookErrors(spec), ...policyErrors(spec));
  const source = findSource(restore, spec, surroundings);
  if ("errors" in source) return { spec, validationErrors: [...errors, ...source.errors] };
  const { backup } = source;
  const scheduleName = spec.scheduleName || backup.metadata.labels?.["velero.io/schedule-name"];
  const completed = { ...spec, backupName: backup.metadata.name, ...(scheduleName ? { scheduleName } : {}) };
  try {
    const policies = findFilterPolicies(restore, surroundings);
    const modifiers = findModifiers(restore, surroundings);
    const found = { ...(modifiers ? { modifiers } : {}), ...(policies ? { policies } : {}) };
    return { spec: completed, validationErrors: errors, backup, ...found };
  } catch (error) {
    return { spec: completed, validationErrors: [...errors, messageOf(error)] };
  }
}

function withDefaults(spec: RestoreSpec, { defaultItemOperationTimeout }: RestoreSurroundings): RestoreSpec {
  const excluded = spec.excludedResources ?? [];
  const missing = nonRestorableResources.filter((resource) => !excluded.includes(resource));
  const { itemOperationTimeout = "" } = spec;
  const isUnset = itemOperationTimeout === "" || itemOperationTimeout === "0s";
  return {
    ...spec,
    excludedResources: [...excluded, ...missing],
    itemOperationTimeout: isUnset ? defaultItemOperationTimeout : itemOperationTimeout,
  };
}

function specErrors(given: RestoreSpec, spec: RestoreSpec): string[] {
  const included = new Set(given.includedResources ?? []);
  const resources = includesExcludesErrors({ includes: spec.includedResources, excludes: spec.excludedResources });
  const namespaces = includesExcludesErrors({ includes: spec.includedNamespaces, excludes: spec.excludedNamespaces });
  return [
    ...nonRestorableResources
      .filter((resource) => included.has(resource))
      .map((name) => `${name} are non-restorable resources`),
    ...resources.map((text) => `Invalid included/excluded resource lists: ${text}`),
    ...namespaces.map((text) => `Invalid included/excluded namespace lists: ${text}`),
    ...(spec.labelSelector && spec.orLabelSelectors
      ? ["encountered labelSelector as well as orLabelSelectors in restore spec, only one can be specified"]
      : []),
  ];
}

function hookErrors({ hooks }: RestoreSpec): string[] {
  return (hooks?.resources ?? []).flatMap(({ name, postHooks = [] }) =>
    postHooks
      .flatMap(({ init }) => init?.initContainers ?? [])
      .filter((container) => {
        const command = valueAt(container, "command");
        const hasCommand = Array.isArray(command) && command.length > 0;
        return !hasCommand || textAt(container, "name") === "" || textAt(container, "image") === "";
      })
      .map(
        () =>
          `invalid init container in restore hook "${name}": invalid InitContainer in restore hook, it doesn't have Command, Name or Image field`,
      ),
  );
}

function policyErrors({ existingResourcePolicy: policy = "" }: RestoreSpec): string[] {
  return ["", "none", "update"].includes(policy) ? [] : [`Invalid ExistingResourcePolicy: ${policy}`];
}

type Source = { readonly backup: Backup } | { readonly errors: readonly string[] };

function findSource(restore: Restore, spec: RestoreSpec, surroundings: RestoreSurroundings): Source {
  let name = spec.backupName ?? "";
  if (spec.scheduleName) {
    const backups = surroundings.backupsOfSchedule(spec.scheduleName);
    const latest = latestCompletedBackup(backups);
    const none = backups.length === 0 ? ["No backups found for schedule"] : [];
    if (!latest) return { errors: [...none, "No completed backups found for schedule"] };
    name = latest.metadata.name;
  }
  const backup = surroundings.findBackup(name);
  if (!backup) {
    const where = `${restore.metadata.namespace}/${name}`;
    return { errors: [`Error retrieving backup: can't find backup ${where}: Backup.velero.io "${name}" not found`] };
  }
  const locationName = backup.spec.storageLocation ?? "";
  const location = surroundings.findLocation(locationName);
  if (!location) {
    return { errors: [`Error retrieving backup: backupstoragelocations.velero.io "${locationName}" not found`] };
  }
  if (location.phase !== "Available") {
    return { errors: [`The BSL ${locationName} is unavailable, cannot retrieve the backup`] };
  }
  return { backup };
}

/** The completed backup that began last; one that partially failed does not count. */
export function latestCompletedBackup(backups: readonly Backup[]): Backup | undefined {
  const startOf = ({ status }: Backup) => Date.parse(status?.startTimestamp ?? "") || 0;
  return backups
    .filter(({ status }) => status?.phase === "Completed")
    .reduce<Backup | undefined>((best, next) => (best && startOf(best) >= startOf(next) ? best : next), undefined);
}

function findModifiers({ metadata, spec }: Restore, surroundings: RestoreSurroundings): ResourceModifiers | undefined {
  const { kind, name } = spec.resourceModifier ?? {};
  if (kind?.toLowerCase() !== "configmap" || name === undefined) return undefined;
  const where = `configmap ${metadata.namespace}/${name}`;
  const found = surroundings.findConfigMap(name);
  if (!found) throw new AppError("NotFound", `failed to get resource modifiers ${where}`);
  try {
    return parseResourceModifiers(found.data ?? {}, surroundings.parseYaml);
  } catch (error) {
    const isUnreadable = error instanceof AppError && error.fields["isUnreadable"] === true;
    const what = isUnreadable ? "Error in parsing" : "Validation error in";
    throw new AppError("InvalidArgument", `${what} resource modifiers provided in ${where}: ${messageOf(error)}`);
  }
}
