import { build } from "esbuild";

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
  });
}
