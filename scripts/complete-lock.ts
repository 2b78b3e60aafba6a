/**
 * Completes package-lock.json after `npm install --package-lock-only`: a registry that lacks the binaries of other platforms makes npm leave
 * their optional packages out, and `npm ci` then refuses the lock everywhere. Each missing one gets an entry that says for which platform it
 * is, so that npm passes over it.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface Entry {
  readonly version?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  packages: Record<string, Entry>;
}

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const processors = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64", "wasm32"];

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8")) as Lock;
let added = 0;
for (const { optionalDependencies = {} } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const place = `node_modules/${name}`;
    if (lock.packages[place]) continue;
    const os = systems.filter((system) => name.includes(system)).slice(0, 1);
    const cpu = processors.filter((processor) => name.includes(processor)).slice(0, 1);
    lock.packages[place] = {
      version,
      optional: true,
      ...(os.length > 0 ? { os } : {}),
      ...(cpu.length > 0 ? { cpu } : {}),
    };
    added++;
  }
}
const [root, ...others] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([...(root ? [root] : []), ...others.sort(([a], [b]) => (a < b ? -1 : 1))]);
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`${added} optional packages of other platforms added to package-lock.json`);
