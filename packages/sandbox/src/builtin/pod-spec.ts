import { isTree, listAt, numberOf, type Tree, treeAt } from "../api/kube-object.ts";

/** Sets a field that is absent. */
export function fill(tree: Tree, values: Tree): void {
  for (const [key, value] of Object.entries(values)) tree[key] ??= value;
}

/** Fills in what a pod's spec leaves out, alone or in a template. */
export function fillPodSpec(spec: Tree): void {
  fill(spec, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  // A negative grace was once allowed; it has always meant the shortest one.
  if (numberOf(spec["terminationGracePeriodSeconds"]) < 0) spec["terminationGracePeriodSeconds"] = 1;
  if (spec["serviceAccountName"] ?? spec["serviceAccount"]) {
    spec["serviceAccountName"] ??= spec["serviceAccount"];
    spec["serviceAccount"] = spec["serviceAccountName"];
  }
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((key) => listAt(spec, key));
  for (const container of containers.filter(isTree)) fillContainer(container, spec["hostNetwork"] === true);
  for (const volume of listAt(spec, "volumes").filter(isTree)) fillVolume(volume);
}

/** Fills in the pod template of a workload. */
export function fillTemplate(owner: unknown, ...path: readonly string[]): void {
  const spec = treeAt(owner, ...path, "spec");
  if (spec) fillPodSpec(spec);
}

function fillContainer(container: Tree, isOnHost: boolean): void {
  fill(container, {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: pullPolicy(String(container["image"] ?? "")),
  });
  for (const port of listAt(container, "ports").filter(isTree)) {
    fill(port, { protocol: "TCP", ...(isOnHost ? { hostPort: port["containerPort"] } : {}) });
  }
  for (const variable of listAt(container, "env")) {
    const field = treeAt(variable, "valueFrom", "fieldRef");
    if (field) fill(field, { apiVersion: "v1" });
    const resource = treeAt(variable, "valueFrom", "resourceFieldRef");
    if (resource) fill(resource, { divisor: "0" });
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    const probe = treeAt(container, name);
    if (!probe) continue;
    fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
    fillHandler(probe);
  }
  for (const name of ["postStart", "preStop"]) {
    const handler = treeAt(container, "lifecycle", name);
    if (handler) fillHandler(handler);
  }
}

function fillHandler(handler: Tree): void {
  const get = treeAt(handler, "httpGet");
  if (get) fill(get, { path: "/", scheme: "HTTP" });
  const grpc = treeAt(handler, "grpc");
  if (grpc) fill(grpc, { service: "" });
}

/** Only a tag that moves is pulled every time. */
function pullPolicy(image: string): string {
  if (image.includes("@")) return "IfNotPresent";
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === "latest" ? "Always" : "IfNotPresent";
}

function fillVolume(volume: Tree): void {
  if (Object.keys(volume).every((key) => key === "name")) volume["emptyDir"] = {};
  for (const kind of ["secret", "configMap", "downwardAPI", "projected"]) {
    const source = treeAt(volume, kind);
    if (source) fill(source, { defaultMode: 420 });
  }
  const host = treeAt(volume, "hostPath");
  if (host) fill(host, { type: "" });
  for (const item of listAt(volume, "downwardAPI", "items")) fillFieldRef(item);
  for (const source of listAt(volume, "projected", "sources")) {
    const token = treeAt(source, "serviceAccountToken");
    if (token) fill(token, { expirationSeconds: 3600 });
    for (const item of listAt(source, "downwardAPI", "items")) fillFieldRef(item);
  }
  const claim = treeAt(volume, "ephemeral", "volumeClaimTemplate", "spec");
  if (claim) fill(claim, { volumeMode: "Filesystem" });
}

function fillFieldRef(item: unknown): void {
  const field = treeAt(item, "fieldRef");
  if (field) fill(field, { apiVersion: "v1" });
}
