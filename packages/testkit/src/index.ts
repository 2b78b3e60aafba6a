export { type EventuallyOptions, eventually } from "./eventually.ts";
export { type TempDir, tempDir } from "./temp-dir.ts";
export { type TestScope, testScope } from "./test-scope.ts";
