export { type EventuallyOptions, eventually } from "./eventually.ts";
export { type FakeClock, type FakeClockOptions, fakeClock } from "./fake-clock.ts";
export { type Fault, type FaultPlan, type FaultRule, faulty, onCalls, onEveryCall, onFirstCalls } from "./faulty.ts";
export * from "./kubernetes-objects.ts";
export { type TempDir, tempDir } from "./temp-dir.ts";
export { type TestScope, testScope } from "./test-scope.ts";
