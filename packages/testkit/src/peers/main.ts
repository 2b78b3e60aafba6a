/** `npm run peers -- build` builds the real peers; `npm run peers -- up` starts a real cluster until Ctrl-C. */
import { AppError, loggerTo, messageOf, type Scope } from "@jibe/base";
import { buildPeers, peerProgram } from "./build-peers.ts";
import { startKubernetes } from "./kubernetes.ts";

const usage = `Usage: npm run peers -- COMMAND

  build   build every peer that is not in the cache
  up      start a real Kubernetes cluster and keep it until Ctrl-C
`;

const commands: Readonly<Record<string, (scope: Scope) => Promise<void>>> = {
  build: (scope) => buildPeers((line) => console.log(line), scope),
  up,
};

async function up(scope: Scope): Promise<void> {
  await buildPeers((line) => console.log(line), scope);
  await using cluster = await startKubernetes({ controllerManager: true, scheduler: true, kwok: true }, scope);
  console.log(`
The cluster is ready at ${cluster.url}; pods run on node-1, which kwok plays. In another terminal:

  export KUBECONFIG=${cluster.kubeconfig}
  alias kubectl=${await peerProgram("kubectl", scope)} velero=${await peerProgram("velero", scope)}
  kubectl get all --all-namespaces

Ctrl-C ends it and removes its files.`);
  await new Promise<void>((resolve) => scope.signal.addEventListener("abort", () => resolve(), { once: true }));
}

async function main(args: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort(new Error("stopped")));
  const log = loggerTo(({ level, message, fields }) => {
    if (level !== "debug") console.error(message, JSON.stringify(fields));
  });
  const command = commands[args[0] ?? ""];
  if (!command || args.length > 1) {
    console.error(usage);
    return 2;
  }
  try {
    await command({ signal: stopping.signal, log });
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return 130;
    console.error(error instanceof AppError ? messageOf(error) : error);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
