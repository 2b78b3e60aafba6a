import { isTree, listAt, type Tree, treeAt } from "../api/kube-object.ts";

/** What is allowed in a pod's spec but hardly meant. */
export function podSpecWarnings(spec: Tree, path: string): string[] {
  const spread = listAt(spec, "topologySpreadConstraints").flatMap((constraint, index) => {
    const at = `${path}.topologySpreadConstraints[${index}].labelSelector`;
    return treeAt(constraint, "labelSelector") ? [] : [`${at}: a null labelSelector results in matching no pod`];
  });
  return [...spread, ...duplicateNames(spec, path), ...duplicatePorts(spec, path)];
}

function duplicateNames(spec: Tree, path: string): string[] {
  return listAt(spec, "containers")
    .filter(isTree)
    .flatMap((container, index) => {
      const seen = new Map<unknown, number>();
      return listAt(container, "env")
        .filter(isTree)
        .flatMap((variable, position) => {
          const first = seen.get(variable["name"]);
          seen.set(variable["name"], first ?? position);
          const at = `${path}.containers[${index}].env`;
          return first === undefined
            ? []
            : [
                `${at}[${position}]: hides previous definition of "${String(variable["name"])}", which may be dropped when using apply`,
              ];
        });
    });
}

function duplicatePorts(spec: Tree, path: string): string[] {
  const seen = new Map<string, string>();
  const warnings: string[] = [];
  for (const [index, container] of listAt(spec, "containers").filter(isTree).entries()) {
    for (const [position, port] of listAt(container, "ports").filter(isTree).entries()) {
      const key = `${String(port["containerPort"])}/${String(port["protocol"])}/${String(port["hostPort"])}`;
      const at = `${path}.containers[${index}].ports[${position}]`;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, at);
      else warnings.push(`${at}: duplicate port definition with ${first}`);
    }
  }
  return warnings;
}
