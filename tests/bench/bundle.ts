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
