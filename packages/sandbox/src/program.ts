import { chmod, rm, writeFile } from "node:fs/promises";
import { AppError, type Scope } from "@jibe/base";
import { startSandbox } from "./sandbox.ts";

export interface SandboxProgramOptions {
  readonly port?: number;
  readonly dataDir?: string;
  /** Where the kubeconfig is written. */
  readonly kubeconfigOut: string;
  readonly simulateWorkloads?: boolean;
}

/**
 * Runs a sandbox until the scope is stopped: writes its kubeconfig (readable by its owner alone), says how to use it,
 * and removes the kubeconfig in the end.
 */
export async function runSandboxProgram(
  options: SandboxProgramOptions,
  { print, ...scope }: Scope & { readonly print: (line: string) => void },
): Promise<void> {
  const { port, dataDir, kubeconfigOut, simulateWorkloads } = options;
  await using sandbox = await startSandbox(
    {
      ...(port === undefined ? {} : { port }),
      ...(dataDir === undefined ? {} : { dataDir }),
      ...(simulateWorkloads === undefined ? {} : { simulateWorkloads }),
    },
    scope,
  );
  await writeKubeconfig(kubeconfigOut, sandbox.kubeconfig());
  print(`Kubernetes API on ${sandbox.url}`);
  print(`  export KUBECONFIG=${kubeconfigOut}`);
  print("  kubectl get namespaces");
  print(
    dataDir === undefined ? "Everything is in memory. Ctrl-C ends it." : `Data is kept in ${dataDir}. Ctrl-C ends it.`,
  );
  await stopped(scope.signal);
  await rm(kubeconfigOut, { force: true });
}

async function writeKubeconfig(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600 });
    await chmod(path, 0o600); // a file that was there keeps its mode otherwise
  } catch (cause) {
    throw new AppError("InvalidArgument", `cannot write kubeconfig "${path}"`, { cause });
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
