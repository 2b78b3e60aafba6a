import { defineConfig } from "vitest/config";

// Tests that need the real peers are named *.peers.test.ts; everything else runs with Node alone.
const peers = process.env["JIBE_TIER"] === "peers";

export default defineConfig({
  test: {
    include: peers ? ["{packages,tests,examples}/**/*.peers.test.ts"] : ["{packages,tests,examples}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", ...(peers ? [] : ["**/*.peers.test.ts"])],
    pool: "forks",
    maxWorkers: 2,
    fileParallelism: !peers,
    testTimeout: peers ? 120_000 : 20_000,
    hookTimeout: peers ? 300_000 : 30_000,
    teardownTimeout: 20_000,
  },
});
