import { globalPoliciesAnnotation, type RunResults } from "@jibe/engine";
import type { Backup, DeleteBackupRequest } from "../../api/resources.ts";
import { backupStatusText } from "../backup/backup-table.ts";
import type { Output } from "../output.ts";
import { goTime } from "../print/time.ts";
import { Description, describeReference } from "./description.ts";
import { describeOperations } from "./operations.ts";
import { describeResults, topCauses } from "./results.ts";
import { describeBackupSpec } from "./spec.ts";
import { describeVolumes, type VolumeInfo } from "./volumes.ts";

type Operations = NonNullable<Parameters<typeof describeOperations>[2]["operations"]>;

/** The files of a backup that a description shows, as far as they could be had. */
export interface BackupFiles {
  readonly results?: RunResults | undefined;
  readonly resourceList?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly operations?: Operations | undefined;
  readonly volumes?: readonly VolumeInfo[] | undefined;
}

export interface BackupStory {
  readonly backup: Backup;
  readonly files: BackupFiles;
  readonly deletions: readonly DeleteBackupRequest[];
  readonly details: boolean;
}

const failing: ReadonlySet<string> = new Set(["PartiallyFailed", "Failed", "FailedValidation"]);

/** What a backup was asked to do, what happened, and why it went wrong where it did. */
export function describeBackup({ backup, files, deletions, details }: BackupStory, out: Output): string {
  const { metadata, spec, status = {} } = backup;
  const into = new Description();
  into.field("Name", metadata.name).field("Namespace", metadata.namespace ?? "");
  into.pairs("Labels", metadata.labels).pairs("Annotations", metadata.annotations).line();
  describePhase(into, backup, out);
  describeReference(into, "Resource policies", spec.resourcePolicy);
  const shared = metadata.annotations?.[globalPoliciesAnnotation];
  describeReference(into, "Global volume policies", shared ? { kind: "configmap", name: shared } : undefined);
  const parallel = spec.uploaderConfig?.parallelFilesUpload ?? 0;
  if (parallel > 0) into.block("Uploader config", [`Parallel files upload:\t${parallel}`]).line();
  describeValidation(into, status.validationErrors);
  into.line();
  describeCauses(into, files.results);
  describeResults(into, status, files.results);
  describeBackupSpec(into, spec);
  into.field("Backup Format Version", status.formatVersion ?? "").line();
  into
    .field("Started", goTime(status.startTimestamp, "<n/a>"))
    .field("Completed", goTime(status.completionTimestamp, "<n/a>"))
    .line();
  into.field("Expiration", goTime(status.expiration, "<nil>")).line();
  describeItems(into, backup);
  describeOperations(into, "Backup", {
    counts: {
      attempted: status.backupItemOperationsAttempted ?? 0,
      completed: status.backupItemOperationsCompleted ?? 0,
      failed: status.backupItemOperationsFailed ?? 0,
    },
    operations: details ? files.operations : undefined,
  });
  if (details) describeResourceList(into, files.resourceList).line();
  describeVolumes(into, files.volumes, { details });
  if (status.hookStatus)
    into
      .line()
      .field("HooksAttempted", status.hookStatus.hooksAttempted ?? 0)
      .field("HooksFailed", status.hookStatus.hooksFailed ?? 0);
  describeDeletions(into, deletions);
  return into.toString();
}

function describePhase(into: Description, backup: Backup, out: Output): void {
  const phase = backupStatusText(backup);
  const style = phase === "Completed" ? "green" : failing.has(phase) ? "red" : undefined;
  const hint =
    phase === "PartiallyFailed" || phase === "Failed"
      ? ` (run \`jibe backup logs ${backup.metadata.name}\` for more information)`
      : "";
  into.field("Phase", `${style ? out.style(style, phase) : phase}${hint}`);
  if (backup.status?.queuePosition) into.field("Queue position", backup.status.queuePosition);
  if (backup.status?.failureReason) into.field("Failure reason", backup.status.failureReason);
  into.line();
}

/** One error beside the label, several below one another. */
export function describeValidation(into: Description, errors: readonly string[] | undefined): void {
  const [first, ...more] = errors ?? [];
  if (first === undefined) return;
  into.field("Validation errors", first);
  for (const error of more) into.line(`\t${error}`);
  into.line();
}

/** Said first, since it is what a reader of a failed run wants to know. */
export function describeCauses(into: Description, results: RunResults | undefined): void {
  const causes = results ? topCauses(results.errors) : [];
  if (causes.length === 0) return;
  into
    .block(
      "Top causes of errors",
      causes.map(({ cause, count }) => `${count} ×\t${cause}`),
    )
    .line();
}

function describeItems(into: Description, { status }: Backup): void {
  if (!status?.progress) return;
  const { totalItems = 0, itemsBackedUp = 0 } = status.progress;
  if (status.phase === "InProgress") {
    into
      .field("Estimated total items to be backed up", totalItems)
      .field("Items backed up so far", itemsBackedUp)
      .line();
  } else into.field("Total items to be backed up", totalItems).field("Items backed up", itemsBackedUp).line();
}

/** The items by type, as the resource list file holds them. */
export function describeResourceList(into: Description, list: BackupFiles["resourceList"]): Description {
  if (!list) return into.field("Resource List", "<resource list not found>");
  into.line("Resource List:");
  for (const key of Object.keys(list).sort()) {
    into.line(`\t${key}:`);
    for (const item of list[key] ?? []) into.line(`\t\t- ${item}`);
  }
  return into;
}

function describeDeletions(into: Description, requests: readonly DeleteBackupRequest[]): void {
  if (requests.length === 0) return;
  const failed = requests.filter(({ status }) => (status?.errors?.length ?? 0) > 0).length;
  into.line().line(`Deletion Attempts${failed > 0 ? ` (${failed} failed)` : ""}:`);
  for (const { metadata, status } of requests) {
    into.line(`\t${goTime(metadata.creationTimestamp)}: ${status?.phase ?? "New"}`);
    for (const error of status?.errors ?? []) into.line(`\t\t${error}`);
  }
}
