import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCaptured } from "./product/captured-process.ts";
import { ProductWorld, type RunningServer } from "./product/product-world.ts";

interface Example {
  readonly page: string;
  readonly command: string;
  readonly shown: string;
}

const guide = join(import.meta.dirname, "../../docs/guide");

/** Every command of a page, with the output the page shows for it. */
async function examplesOf(page: string): Promise<Example[]> {
  const text = await readFile(join(guide, `${page}.md`), "utf8");
  return [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...shown] = part.trimEnd().split("\n");
        return { page, command, shown: shown.join("\n") };
      }),
  );
}

/** `…` in a page stands for anything. Runs of blanks are not compared: columns are as wide as their widest cell. */
function pattern(shown: string): RegExp {
  const parts = shown.split("…").map((part) =>
    part
      .split(/\s+/)
      .map((word) => RegExp.escape(word))
      .join("\\s+"),
  );
  return new RegExp(`^${parts.join("[\\s\\S]*")}\\s*$`);
}

/** The words of a command line: quotes hold words together, `$NAME` is replaced. */
function wordsOf(command: string, values: Readonly<Record<string, string>>): string[] {
  const replaced = command.replace(/\$([A-Z]+)/g, (_, name: string) => values[name] ?? "");
  return [...replaced.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([all, double, single]) => double ?? single ?? all);
}

const pages = ["first-backup", "schedules", "volumes", "plugins", "install"];
const examples = (await Promise.all(pages.map(examplesOf))).flat();

describe("every command of the guide does what its page shows", { timeout: 90_000 }, () => {
  let world: ProductWorld;
  let server: RunningServer;
  beforeAll(async () => {
    world = await ProductWorld.start();
    server = await world.startServer();
    await world.deployShop();
  }, 120_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  for (const { page, command, shown } of examples) {
    test(`${page}: ${command}`, async () => {
      const [program, ...args] = wordsOf(command, {
        STORE: join(world.dir, "store"),
        SNAPSHOTS: join(world.dir, "snapshots"),
      });
      expect(program).toBe("jibe");
      const { out, err, exitCode } = await world.jibe(...args);
      expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
      expect(out.trimEnd()).toMatch(pattern(shown));
      if (args[0] === "backup-location") await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    });
  }
});

test("commands that a page only names, since they go on for ever, are understood as well", async () => {
  for (const page of await everyPage()) {
    const text = await readFile(join(guide, page), "utf8");
    for (const [, block = ""] of text.matchAll(/^```text\n([\s\S]*?)^```$/gm)) {
      for (const line of block.split("\n").filter((one) => one.startsWith("jibe "))) {
        const [, ...args] = wordsOf(line, {});
        expect({ line, ...(await startCaptured([...args, "--help"]).ended) }).toMatchObject({
          line,
          exitCode: 0,
          err: "",
        });
      }
    }
  }
});

test("no page has a command that is not run", async () => {
  for (const page of await everyPage()) {
    const blocks = (await readFile(join(guide, page), "utf8")).match(/^```(?!text$)\w+$/gm) ?? [];
    const wanted = pages.includes(page.replace(/\.md$/, "")) ? ["```console"] : [];
    expect({ page, blocks: [...new Set(blocks)] }).toEqual({ page, blocks: wanted });
  }
});

const everyPage = async () => (await readdir(guide)).filter((name) => name.endsWith(".md"));

test("the guide shows enough to be worth a test", () => expect(examples.length).toBeGreaterThanOrEqual(10));
