import { resolve } from "node:path";
import { AppError } from "@jibe/base";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";

export const pluginVerify = command({
  usage: "plugin verify PATH",
  summary: "Check a plugin executable against the plugin contract; no cluster is needed",
  flags: {},
  async run({ args }, { out, env }, scope) {
    const [path, ...more] = args;
    if (!path || more.length > 0)
      throw new AppError("InvalidArgument", "one executable is needed: jibe plugin verify ./my-plugin");
    const { formatReport, verifyPlugin } = await import("@jibe/plugin-sdk/verify");
    const report = await verifyPlugin(resolve(path), { env }, scope);
    out.text(formatReport(report));
    return report.ok ? exitCode.ok : exitCode.error;
  },
});
