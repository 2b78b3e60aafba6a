import { type ChildProcess, spawn } from "node:child_process";

// Waits for a line on standard input. None comes when the host dies: then the plugin's process group is killed.
const watch = `trap '' INT TERM HUP; read -r _ || { rm -rf -- "$2"; kill -s KILL -- "-$1"; }`;

/**
 * Sees to it that a plugin's process group ends when this process does, even by SIGKILL. The system tells nobody of that
 * death but the readers of our pipes; so a small shell reads one. Disposing it calls the watch off.
 */
export function guardProcessGroup(pid: number, socketDir: string): Disposable {
  const shell: ChildProcess = spawn("/bin/sh", ["-c", watch, "jibe-plugin-guard", String(pid), socketDir], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: "/usr/bin:/bin" },
  });
  shell.on("error", ignore); // no shell, no guard: the plugin itself runs all the same
  shell.stdin?.on("error", ignore);
  shell.unref();
  return { [Symbol.dispose]: () => shell.stdin?.end("\n") };
}

function ignore(): void {}
