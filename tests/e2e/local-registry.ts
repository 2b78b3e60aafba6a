import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";

/** An npm registry that has every package which is installed below some folders, and nothing else. */
export interface LocalRegistry extends AsyncDisposable {
  readonly url: string;
}

interface Installed {
  readonly dir: string;
  readonly manifest: { readonly name: string; readonly version: string };
}

/** Serves what `npm ci` has installed, so that an installation elsewhere needs no network. */
export async function startLocalRegistry(folders: readonly string[]): Promise<LocalRegistry> {
  const packages = Map.groupBy(folders.flatMap(installedBelow), ({ manifest }) => manifest.name);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const [name = "", version] = path.split("/-/");
    const versions = packages.get(name) ?? [];
    const wanted = versions.find(({ manifest }) => manifest.version === version);
    if (wanted) sendTarball(wanted, response);
    else if (versions.length > 0)
      response.end(JSON.stringify(describe(name, versions, `http://${request.headers.host}`)));
    else response.writeHead(404).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function describe(name: string, versions: readonly Installed[], url: string): object {
  const entries = versions.map(({ manifest }) => {
    const tarball = `${url}/${encodeURIComponent(name)}/-/${manifest.version}`;
    return [manifest.version, { ...manifest, dist: { tarball } }] as const;
  });
  return { name, "dist-tags": { latest: entries[0]?.[0] }, versions: Object.fromEntries(entries) };
}

function sendTarball({ dir }: Installed, response: ServerResponse): void {
  spawn("tar", ["-cz", "--exclude=./node_modules", "-C", dir, "."], {
    stdio: ["ignore", "pipe", "inherit"],
  }).stdout.pipe(response);
}

function installedBelow(folder: string): Installed[] {
  const modules = join(folder, "node_modules");
  const names = existsSync(modules) ? readdirSync(modules).flatMap((name) => scoped(modules, name)) : [];
  const found = names.flatMap((name) => {
    const dir = join(modules, name);
    if (!existsSync(join(dir, "package.json"))) return [];
    const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Installed["manifest"];
    return [{ dir, manifest }, ...installedBelow(dir)];
  });
  return found.filter(({ manifest }) => manifest.name !== undefined && manifest.version !== undefined);
}

function scoped(modules: string, name: string): readonly string[] {
  if (name === "@jibe" || name === "jibe" || name.startsWith(".")) return []; // ours come as tarballs
  return name.startsWith("@") ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name];
}
