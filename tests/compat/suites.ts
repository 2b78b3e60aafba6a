import { globSync } from "node:fs";
import { join } from "node:path";
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

/** Which of the tests with real programs belong together: the first pattern that matches has a file. A new file joins by its place. */
const groups = [
  { name: "backups", minutes: 20, files: /^tests\/peers\/differential\/backups\./ },
  { name: "restores", minutes: 25, files: /^tests\/peers\/differential\/restores\./ },
  { name: "scenarios", minutes: 25, files: /^tests\/peers\/differential\// },
  { name: "command-lines", minutes: 20, files: /^tests\/peers\// },
  { name: "go-plugins", minutes: 20, files: /^packages\/(go-plugin|jibe\/src\/(plugin-host|object-store\/plugin))\// },
  { name: "our-plugins", minutes: 10, files: /^(examples|packages\/plugin-sdk)\// },
  { name: "stores", minutes: 10, files: /^packages\/(jibe\/src\/(object-store\/s3|crds)|engine\/src\/archive)\// },
];

const root = join(import.meta.dirname, "../..");
const isPeers = (file: string) => file.endsWith(".peers.test.ts");
const peersFiles = ["tests", "examples/*", "packages/*/src"]
  .flatMap((folder) => globSync(`${folder}/**/*.peers.test.ts`, { cwd: root }))
  .sort();

/** All that is run for the page, in the order in which it is run. */
export const suites: readonly Suite[] = [
  ...groups.map(({ name, minutes }) => ({
    name,
    minutes,
    files: peersFiles.filter((file) => groups.find(({ files }) => files.test(file))?.name === name),
    needsPeers: true,
  })),
  {
    name: "declared",
    files: [...new Set([...differences, ...missing].map(({ test }) => test.file))].filter((file) => !isPeers(file)),
    needsPeers: false,
    minutes: 15,
  },
];
