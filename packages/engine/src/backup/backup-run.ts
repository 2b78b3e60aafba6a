import type { Clock, Scope } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import type { ResolvedActions } from "../actions/resolve-actions.ts";
import type { ArchiveEntry } from "../archive/index.ts";
import type { Collection } from "../collect/collected-item.ts";
import type { Spool } from "../collect/spool.ts";
import type { ExecHooks } from "../hooks/exec-hooks.ts";
import type { Cluster, Discovery } from "../ports/cluster.ts";
import type { BackupAction, BlockAction } from "../ports/plugins.ts";
import type { VolumeBackupOptions } from "../volumes/back-up-volume.ts";
import type { PodVolumes } from "../volumes/pod-volumes.ts";
import type { SkippedVolumes } from "../volumes/skipped-volumes.ts";
import type { VolumeDecisions } from "../volumes/volume-decisions.ts";
import type { VolumeItems } from "../volumes/volume-info.ts";
import type { BackedUpItems } from "./backed-up-items.ts";
import type { ItemAccount } from "./item-account.ts";
import type { InclusionRules } from "./item-inclusion.ts";
import type { ItemRuns } from "./item-runs.ts";
import type { StartedWorkList } from "./started-work.ts";

/** What the volumes of a run need. Finalizing takes no volume data and has none of it. */
export interface RunVolumes {
  readonly decisions: VolumeDecisions;
  readonly pods: PodVolumes;
  readonly skipped: SkippedVolumes;
  readonly items: VolumeItems;
  readonly native: VolumeBackupOptions;
}

/** Everything that the turns of a run's items share. */
export interface BackupRun {
  readonly backup: Backup;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly discovery: Discovery;
  readonly inclusion: InclusionRules;
  readonly actions: ResolvedActions<BackupAction>;
  readonly blockActions: ResolvedActions<BlockAction>;
  readonly features: ReadonlySet<string>;
  readonly hooks: ExecHooks;
  readonly spool: Spool;
  readonly collection: Collection;
  readonly items: BackedUpItems;
  readonly runs: ItemRuns;
  readonly account: ItemAccount;
  readonly started: StartedWorkList;
  readonly volumes?: RunVolumes;
  readonly finalizing: boolean;
  /** Puts an item in the archive. Fails with `InvalidArgument` for one that no archive can hold; any other failure is the run's. */
  readonly store: (entry: ArchiveEntry, scope: Scope) => Promise<void>;
  /** Called after each turn. */
  readonly onTurn: (groupResource: string) => void;
  /** Called for a type that has an item in the backup: its definition may have to come along. */
  readonly onType: (groupResource: string) => void;
}
