import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";

export const sandbox = command({
  usage: "sandbox",
  summary: "Run an embedded Kubernetes API server to try things on",
  description: "Run an embedded Kubernetes API server on this machine, for kubectl and for jibe, until Ctrl-C.",
  flags: {
    port: flag.integer("Port to listen on (0: any free one)"),
    dataDir: flag.string("Folder that keeps the cluster; without it everything is in memory", "", {
      placeholder: "path",
    }),
    kubeconfigOut: flag.string("Where to write the kubeconfig (default: in the system's temporary folder)", "", {
      placeholder: "path",
    }),
    simulateWorkloads: flag.boolean("Let deployments, jobs and claims come to life, without running anything"),
  },
  async run({ flags }, { out }, scope) {
    const { runSandboxProgram } = await import("@jibe/sandbox");
    const kubeconfigOut = flags.kubeconfigOut || join(tmpdir(), `jibe-sandbox-${process.pid}.kubeconfig`);
    const options = {
      port: flags.port,
      kubeconfigOut,
      simulateWorkloads: flags.simulateWorkloads,
      ...(flags.dataDir ? { dataDir: flags.dataDir } : {}),
    };
    await runSandboxProgram(options, { ...scope, print: (line) => out.line(line) });
    return exitCode.ok;
  },
});
