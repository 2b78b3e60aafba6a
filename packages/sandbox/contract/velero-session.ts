import { type SessionStep, step } from "./session-step.ts";

/** What Velero's command line does with a cluster, without a server that answers it. */
export const veleroSession: readonly SessionStep[] = [
  step("install --crds-only"),
  step(
    "install --provider example.io/store --plugins example.io/plugin:1 --bucket one --no-secret --use-volume-snapshots=false --wait",
  ),
  step("version --timeout=2s"),
  step("backup-location get"),
  step("backup-location create other --provider example.io/store --bucket two"),
  step("backup-location set other --default"),
  step("backup-location get"),
  step("snapshot-location create disks --provider example.io/disks"),
  step("snapshot-location get"),
  step("backup create first --include-namespaces default"),
  step("backup create first"),
  step("backup get"),
  step("backup describe first"),
  step("schedule create nightly --schedule=@daily --include-namespaces default"),
  step("schedule pause nightly"),
  step("schedule get"),
  step("schedule describe nightly"),
  step("restore create again --from-backup first"),
  step("restore get"),
  step("restore describe again"),
  step("backup delete first --confirm"),
  step("backup-location delete other --confirm"),
  step("schedule delete --all --confirm"),
  step("schedule get"),
  step("uninstall --force --wait"),
];
