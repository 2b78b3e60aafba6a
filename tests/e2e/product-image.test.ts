import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const dockerfile = read("Dockerfile");

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}
interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly optional?: boolean; readonly link?: boolean }>
  >;
}

test("the image runs as nobody in particular and holds only what was built, not the sources", () => {
  const [, last = ""] = dockerfile.split(/^FROM (?!.* AS )/m);
  expect(last).toMatch(/^USER 65532:65532$/m);
  expect([...last.matchAll(/^COPY (.*)$/gm)].map(([, what]) => what)).toEqual([
    "LICENSE ./",
    "--from=build /app/node_modules node_modules",
    "--from=build /built packages",
  ]);
});

test("every dependency of a published package is installed for the image, where the package finds it", () => {
  expect(dockerfile).toContain("for own in packages/*/node_modules; do mv");
  const { packages } = JSON.parse(read("package-lock.json")) as Lock;
  const published = globSync("packages/*/package.json", { cwd: root })
    .map((path) => ({ folder: dirname(path), manifest: JSON.parse(read(path)) as Manifest }))
    .filter(({ manifest }) => manifest.private !== true);
  expect(published.map(({ manifest }) => manifest.name)).toContain("jibe");
  for (const { folder, manifest } of published) {
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const entry = packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
      expect({ package: manifest.name, name, isThere: entry !== undefined && !entry.dev && !entry.optional }).toEqual({
        package: manifest.name,
        name,
        isThere: true,
      });
    }
  }
});

test("nothing but sources, scripts and manifests goes into the build of the image", () => {
  const lines = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines[0]).toBe("*");
  expect(lines.filter((line) => line.startsWith("!"))).toEqual([
    "!packages",
    "!scripts",
    "!package.json",
    "!package-lock.json",
    "!tsconfig.base.json",
    "!LICENSE",
  ]);
});
