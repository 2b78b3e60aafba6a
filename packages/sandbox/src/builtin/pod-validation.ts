import { jsonEquals, parseQuantity } from "@jibe/base";
import { isTree, type KubeObject, listAt, type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { labelProblems } from "../api/validate-metadata.ts";
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "../schema/field-error.ts";

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/**
 * What is wrong with a pod's spec, at a path: the parts that clients rely on being checked. Volumes may come from elsewhere, such as
 * the claim templates of a stateful set.
 */
export function podSpecProblems(spec: Tree, path: string, volumesFromElsewhere: readonly string[] = []): FieldError[] {
  const volumes = listAt(spec, "volumes").filter(isTree);
  const volumeNames = new Set([...volumesFromElsewhere, ...volumes.map((volume) => textAt(volume, "name"))]);
  const policies = ["Always", "OnFailure", "Never"];
  const policy = textAt(spec, "restartPolicy");
  const dns = textAt(spec, "dnsPolicy");
  return [
    ...volumes.flatMap((volume, index) => volumeProblems(volume, `${path}.volumes[${index}]`)),
    ...namesOnce(volumes, `${path}.volumes`),
    ...containersProblems(spec, "containers", path, volumeNames),
    ...containersProblems(spec, "initContainers", path, volumeNames),
    ...(policies.includes(policy) ? [] : [notSupported(`${path}.restartPolicy`, policy, policies)]),
    ...(dnsPolicies.includes(dns) ? [] : [notSupported(`${path}.dnsPolicy`, dns, dnsPolicies)]),
  ];
}

function containersProblems(spec: Tree, key: string, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const containers = listAt(spec, key).filter(isTree);
  if (key === "containers" && containers.length === 0) return [required(`${path}.containers`)];
  return [
    ...containers.flatMap((container, index) => containerProblems(container, `${path}.${key}[${index}]`, volumes)),
    ...namesOnce(containers, `${path}.${key}`),
  ];
}

function containerProblems(container: Tree, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const problems = nameProblems(container, path);
  if (textAt(container, "image") === "") problems.push(required(`${path}.image`));
  for (const [index, port] of listAt(container, "ports").filter(isTree).entries()) {
    const at = `${path}.ports[${index}]`;
    const number = port["containerPort"];
    if (number === undefined || number === 0) problems.push(required(`${at}.containerPort`));
    else if (!isPort(number)) problems.push(invalid(`${at}.containerPort`, number, portText));
    const protocol = textAt(port, "protocol");
    if (!protocols.includes(protocol)) problems.push(notSupported(`${at}.protocol`, protocol, protocols));
  }
  for (const [index, mount] of listAt(container, "volumeMounts").filter(isTree).entries()) {
    const name = textAt(mount, "name");
    if (name === "") problems.push(required(`${path}.volumeMounts[${index}].name`));
    else if (!volumes.has(name))
      problems.push({
        type: "FieldValueNotFound",
        field: `${path}.volumeMounts[${index}].name`,
        message: `Not found: ${JSON.stringify(name)}`,
      });
    if (textAt(mount, "mountPath") === "") problems.push(required(`${path}.volumeMounts[${index}].mountPath`));
  }
  for (const [index, variable] of listAt(container, "env").filter(isTree).entries()) {
    if (textAt(variable, "name") === "") problems.push(required(`${path}.env[${index}].name`));
    if (textAt(variable, "value") !== "" && treeAt(variable, "valueFrom")) {
      problems.push(invalid(`${path}.env[${index}].valueFrom`, "", "may not be specified when `value` is not empty"));
    }
  }
  problems.push(...resourceProblems(treeAt(container, "resources") ?? {}, `${path}.resources`));
  const policy = textAt(container, "imagePullPolicy");
  const policies = ["Always", "IfNotPresent", "Never"];
  if (!policies.includes(policy)) problems.push(notSupported(`${path}.imagePullPolicy`, policy, policies));
  return problems;
}

function resourceProblems(resources: Tree, path: string): FieldError[] {
  const problems: FieldError[] = [];
  const amount = (tree: Tree, name: string) => parseQuantity(String(tree[name] ?? "0"))?.nanos ?? 0n;
  const [limits, requests] = [treeAt(resources, "limits") ?? {}, treeAt(resources, "requests") ?? {}];
  for (const [kind, tree] of [
    ["limits", limits],
    ["requests", requests],
  ] as const) {
    for (const name of Object.keys(tree)) {
      if (amount(tree, name) < 0n)
        problems.push(invalid(`${path}.${kind}[${name}]`, tree[name], "must be greater than or equal to 0"));
    }
  }
  for (const name of Object.keys(requests)) {
    if (limits[name] === undefined || amount(requests, name) <= amount(limits, name)) continue;
    problems.push(
      invalid(
        `${path}.requests`,
        requests[name],
        `must be less than or equal to ${name} limit of ${String(limits[name])}`,
      ),
    );
  }
  return problems;
}

export const protocols = ["SCTP", "TCP", "UDP"];
export const portText = "must be between 1 and 65535, inclusive";
export const isPort = (value: unknown) => typeof value === "number" && value >= 1 && value <= 65535;

function volumeProblems(volume: Tree, path: string): FieldError[] {
  const kinds = Object.keys(volume).filter((key) => key !== "name");
  return [
    ...nameProblems(volume, path),
    ...kinds.slice(1).map((kind) => forbidden(`${path}.${kind}`, "may not specify more than 1 volume type")),
  ];
}

function nameProblems(item: Tree, path: string): FieldError[] {
  const name = textAt(item, "name");
  if (name === "") return [required(`${path}.name`)];
  return labelProblems(name).map((text) => invalid(`${path}.name`, name, text));
}

function namesOnce(items: readonly Tree[], path: string): FieldError[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const name = textAt(item, "name");
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [duplicate(`${path}[${index}].name`, name)];
  });
}

export function podProblems(object: KubeObject): FieldError[] {
  return podSpecProblems(treeAt(object, "spec") ?? {}, "spec");
}

const mutable = ["activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations"];
const mutableText =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** A pod that exists keeps its spec, but for images and a few deadlines. */
export function podUpdateProblems(object: KubeObject, old: KubeObject): FieldError[] {
  const problems = podProblems(object);
  if (problems.length > 0) return problems;
  const [now, before] = [comparable(object), comparable(old)];
  return jsonEquals(now, before) ? [] : [forbidden("spec", mutableText)];
}

function comparable(object: KubeObject): Tree {
  const spec = { ...treeAt(object, "spec") };
  for (const key of mutable) delete spec[key];
  for (const key of ["containers", "initContainers"]) {
    if (spec[key] === undefined) continue;
    spec[key] = listAt(spec, key)
      .filter(isTree)
      .map((container) => ({ ...container, image: "" }));
  }
  return spec;
}
