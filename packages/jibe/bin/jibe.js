#!/usr/bin/env node
import module from "node:module";

// Node older than 24 cannot run jibe; the workspace and the package bring a newer one, which npx puts first in PATH.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  process.stderr.write(
    `jibe needs Node 24 or newer, this is ${process.version}; run it with npx, or install a newer Node\n`,
  );
  process.exit(1);
}
// The server's garbage is young: a small space for it keeps memory flat. The option must be there when the process starts.
const smallSpace = "--max-semi-space-size=4";
if (
  process.argv[2] === "server" &&
  process.execve &&
  !process.execArgv.some((option) => option.startsWith("--max-semi"))
) {
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, smallSpace, ...process.argv.slice(1)],
    process.env,
  );
}
// From the second start on nothing is compiled again; help answers at once.
module.enableCompileCache?.();
const { main } = await import("../src/cli/main.ts");
process.exitCode = await main(process);
