export { type CheckResult, formatReport, type VerifyReport } from "./report.ts";
export { type VerifyOptions, verifyPlugin } from "./verify-plugin.ts";
