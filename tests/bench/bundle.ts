import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

// What is bundled still calls require for Node's own modules.
const banner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** One JavaScript file of a TypeScript program, so that memory is measured as users have it. */
export async function bundle(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "error",
    banner: { js: banner },
  });
}

/** The product as users have it: JavaScript, loaded piece by piece. Gives the program's path. */
export async function bundleProduct(outdir: string): Promise<string> {
  const packages = join(import.meta.dirname, "../../packages");
  const entry = join(packages, "jibe/src/cli/main.ts");
  const format = { bundle: true, splitting: true, platform: "node", format: "esm", target: "node24" } as const;
  await build({
    ...format,
    entryPoints: [entry],
    outdir,
    outExtension: { ".js": ".mjs" },
    logLevel: "error",
    banner: { js: banner },
  });
  await cp(join(packages, "sandbox/src/registry/gen"), join(outdir, "gen"), { recursive: true }); // read beside the code
  const program = join(outdir, "jibe.mjs");
  await writeFile(program, 'import { main } from "./main.mjs";\nprocess.exitCode = await main(process);\n');
  return program;
}
