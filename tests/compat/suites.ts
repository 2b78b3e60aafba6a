import { differences, missing } from "./declared-rows.ts";

/** Test files that are run together, and whose report is kept under the suite's name. */
export interface Suite {
  readonly name: string;
  /** Test files, from the repository's root. */
  readonly files: readonly string[];
  /** Whether they need the real programs. */
  readonly needsPeers: boolean;
  readonly minutes: number;
}

const peers = (name: string, minutes: number, files: readonly string[]): Suite => ({
  name,
  files,
  needsPeers: true,
  minutes,
});

const isPeers = (file: string) => file.endsWith(".peers.test.ts");

/** All that is run for the page, in the order in which it is run. */
export const suites: readonly Suite[] = [
  peers("backups", 15, ["tests/peers/differential/backups.peers.test.ts"]),
  peers("restores", 20, ["tests/peers/differential/restores.peers.test.ts"]),
  peers("scenarios", 10, ["tests/peers/differential/scenarios.peers.test.ts"]),
  peers("command-lines", 15, [
    "tests/peers/product/velero-cli.peers.test.ts",
    "tests/peers/product/jibe-cli.peers.test.ts",
    "tests/peers/product/switch.peers.test.ts",
    "tests/peers/product/install.peers.test.ts",
  ]),
  peers("go-plugins", 20, [
    "packages/jibe/src/plugin-host/go-plugins.peers.test.ts",
    "packages/jibe/src/object-store/plugin/go-store.peers.test.ts",
    "packages/go-plugin/src/go-peers.peers.test.ts",
  ]),
  peers("our-plugins", 10, [
    "examples/plugins/velero.peers.test.ts",
    "packages/plugin-sdk/src/verify/verify-plugin.peers.test.ts",
  ]),
  peers("stores", 10, [
    "packages/jibe/src/object-store/s3/s3-store.peers.test.ts",
    "packages/engine/src/archive/archive.peers.test.ts",
    "packages/jibe/src/crds/definitions.peers.test.ts",
  ]),
  {
    name: "declared",
    files: [...new Set([...differences, ...missing].map(({ test }) => test.file))].filter((file) => !isPeers(file)),
    needsPeers: false,
    minutes: 15,
  },
];
