import type { SeededRandom } from "./seeded-random.ts";

/** What can befall a single call. */
export const callFaults = [
  "drop-request",
  "drop-answer",
  "delay",
  "repeat",
  "refuse",
  "kill-before",
  "kill-after",
] as const;
export type CallFault = (typeof callFaults)[number];

/** What can befall a run besides. */
export const worldFaults = [
  "lease-lost",
  "zombie",
  "outage",
  "cancel-backup",
  "cancel-restore",
  "delete-backup",
  "delete-restore",
] as const;
export type WorldFault = (typeof worldFaults)[number];

export type FaultKind = CallFault | WorldFault;

/** How often each fault strikes in one run. */
export interface Weather {
  readonly calls: Readonly<Record<CallFault, number>>;
  /** For each step. */
  readonly leaseLost: number;
  /** How often a server that loses its lease is frozen and goes on later, beside the next one. */
  readonly zombie: number;
  readonly outage: number;
  readonly cancelBackup: boolean;
  readonly cancelRestore: boolean;
  readonly deleteBackup: boolean;
  readonly deleteRestore: boolean;
  /** How many backups and restores there are. */
  readonly runs: number;
  /** Whether what is backed up has operations at all. */
  readonly hasOperations: boolean;
  /** Servers that may be lost before the weather clears, so that a run comes to an end. */
  readonly mostLosses: number;
}

const calm: Readonly<Record<CallFault, number>> = {
  "drop-request": 0,
  "drop-answer": 0,
  delay: 0,
  repeat: 0,
  refuse: 0,
  "kill-before": 0,
  "kill-after": 0,
};

/** Draws the weather of a run: some are calm, some know one kind of trouble only, some all of it. */
export function drawWeather(random: SeededRandom): Weather {
  const sky = random.pick(["calm", "network", "kills", "leases", "all", "all"] as const);
  const upTo = (most: number) => random.next() * most;
  const hasNetwork = sky === "network" || sky === "all";
  const hasKills = sky === "kills" || sky === "all";
  return {
    calls: {
      ...calm,
      ...(hasNetwork
        ? {
            "drop-request": upTo(0.03),
            "drop-answer": upTo(0.03),
            delay: upTo(0.1),
            repeat: upTo(0.03),
            refuse: upTo(0.02),
          }
        : {}),
      ...(hasKills ? { "kill-before": upTo(0.01), "kill-after": upTo(0.01) } : {}),
    },
    leaseLost: sky === "leases" || sky === "all" ? upTo(0.01) : 0,
    zombie: random.chance(0.5) ? 0.5 : 0,
    outage: hasNetwork ? upTo(0.005) : 0,
    cancelBackup: random.chance(0.25),
    cancelRestore: random.chance(0.25),
    deleteBackup: random.chance(0.35),
    deleteRestore: random.chance(0.2),
    runs: random.between(1, 3),
    hasOperations: random.chance(0.85),
    mostLosses: random.between(1, 4),
  };
}
