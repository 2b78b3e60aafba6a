import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a program with the workspace's own programs first in its path; its output goes to the terminal. */
export function runCommand(program: string, args: readonly string[], { cwd = root }: { cwd?: string } = {}): boolean {
  const { status, error } = spawnSync(program, args, { cwd, stdio: "inherit", env: workspaceEnv() });
  if (error) console.error(`cannot run ${program}: ${error.message}`);
  return status === 0;
}

export function workspaceEnv(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: [join(root, "node_modules", ".bin"), process.env["PATH"]].join(delimiter) };
}
