export { runSandboxProgram, type SandboxProgramOptions } from "./program.ts";
export { type Sandbox, type SandboxOptions, startSandbox } from "./sandbox.ts";
export type { ExecHandler, ExecOutput, ExecRequest } from "./workloads/exec-handler.ts";
