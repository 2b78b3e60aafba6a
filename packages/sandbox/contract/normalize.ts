const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const clusterAddress = /\b10\.96\.\d+\.\d+\b/g;

type Tree = { [key: string]: unknown };

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** Replaces what differs from run to run: identities, versions, times, handed-out addresses and ports. */
export function normalize(value: unknown, id: string): unknown {
  if (typeof value === "string") return normalizeText(value, id);
  if (Array.isArray(value)) return value.map((item) => normalize(item, id));
  if (!isTree(value)) return value;
  const copy: Tree = {};
  for (const [key, item] of Object.entries(value)) copy[normalizeText(key, id)] = normalizeField(key, item, value, id);
  return copy;
}

function normalizeField(key: string, value: unknown, parent: Tree, id: string): unknown {
  if (key === "resourceVersion" && typeof value === "string") return value === "" || value === "0" ? value : "RV";
  if (key === "continue" && typeof value === "string") return value === "" ? "" : "CONTINUE";
  if (key === "nodePort" || key === "healthCheckNodePort") return value === 0 ? 0 : "PORT";
  if (key === "storageVersionHash" || key === "ca.crt") return key;
  const prefix = parent["generateName"];
  if (key === "name" && typeof prefix === "string" && typeof value === "string" && value.startsWith(prefix)) {
    return `${normalizeText(prefix, id)}SUFFIX`;
  }
  return normalize(value, id);
}

function normalizeText(text: string, id: string): string {
  return text
    .replaceAll(id, "ID")
    .replaceAll(uid, "UID")
    .replaceAll(time, "TIME")
    .replaceAll(clusterAddress, "ADDRESS")
    .replaceAll(/(resource ?version(?: in precondition| in object meta)?:? )"?\d+"?(?: \(\d+\))?/gi, "$1RV");
}
