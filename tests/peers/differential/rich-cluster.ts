import { type Scope, systemClock } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import { installVelero, type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { applyAll } from "./apply-all.ts";
import { type DataObject, readClusterObjects } from "./spec-file.ts";

/** What these put into each new namespace races with a restore that brings the same objects. */
export const quietControllers = ["root-ca-certificate-publisher-controller", "serviceaccount-controller"];

/** Starts a real cluster with every common kind of object in it, and more objects if given, and lets it settle. */
export async function startRichCluster(
  { objects, deleted = [] }: { objects: readonly DataObject[]; deleted?: readonly string[] },
  scope: Scope,
): Promise<Kubernetes> {
  await using stack = new AsyncDisposableStack();
  const kubernetes = stack.use(await startCluster({ objects: [...readClusterObjects(), ...objects] }, scope));
  for (const each of deleted) await kubernetes.kubectl(["delete", "--wait=false", ...each.split(" ")]);
  await untilSettled(kubernetes, scope);
  stack.move();
  return kubernetes;
}

/** Starts a real cluster with Velero's definitions and the objects, and lets it settle. */
export async function startCluster(
  { objects, disabledControllers = [] }: { objects: readonly DataObject[]; disabledControllers?: readonly string[] },
  scope: Scope,
): Promise<Kubernetes> {
  await using stack = new AsyncDisposableStack();
  // An autoscaler looks again every 15 s and would change its object between the two runs that are compared.
  const disabled = [...disabledControllers, "horizontal-pod-autoscaler-controller"];
  const options = { controllerManager: true, scheduler: true, kwok: true, disabledControllers: disabled };
  const kubernetes = stack.use(await startKubernetes(options, scope));
  await installVelero({ kubernetes }, scope);
  await applyAll(kubernetes, objects);
  await untilSettled(kubernetes, scope);
  stack.move();
  return kubernetes;
}

/** Waits until nothing but heartbeats has changed for two seconds. */
export async function untilSettled(kubernetes: Kubernetes, scope: Scope): Promise<void> {
  const types = "pods,deployments,replicasets,statefulsets,jobs,pv,pvc,endpointslices,services,crds";
  let before = "";
  let since = systemClock.monotonicMs();
  await eventually(
    async () => {
      const now = (await kubernetes.kubectl(["get", types, "-A", "-o=jsonpath={.items[*].metadata.resourceVersion}"]))
        .stdout;
      if (now !== before) since = systemClock.monotonicMs();
      before = now;
      return now !== "" && systemClock.monotonicMs() - since > 2_000;
    },
    { timeoutMs: 60_000, intervalMs: 300, signal: scope.signal },
  );
}
