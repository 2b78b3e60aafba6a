const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const clusterAddress = /\b10\.96\.\d+\.\d+\b/g;

type Tree = { [key: string]: unknown };

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a message shows of the server's own structures: Go's dumps and diffs, which no client reads. */
const dump = /(value: )(?:"\{.*\}"|\{.*\}|\[\{.*\}\]|"map\[.*\]")(: |$)/s;
const goValue = /got &.*$/s;
const diff = /\n@@ .*$/s;
const takenPort = /(nodePort: Invalid value: |^Invalid value: )3\d{4}(: provided port is already allocated)/;

/** Problems come in no order; their texts are compared by the causes alone when there are several. */
function normalizeStatus(status: Tree): Tree {
  const details = status["details"];
  const causes = isTree(details) ? details["causes"] : undefined;
  if (!isTree(details) || !Array.isArray(causes) || causes.length < 2) return status;
  const sorted = causes
    .map((cause) => JSON.stringify(cause))
    .sort()
    .map((text) => JSON.parse(text) as unknown);
  const message = String(status["message"]).replace(/ is invalid: \[.*$/s, " is invalid: [CAUSES]");
  return { ...status, message, details: { ...details, causes: sorted } };
}

/** Replaces what differs from run to run: identities, versions, times, handed-out addresses and ports. */
export function normalize(value: unknown, id: string): unknown {
  if (typeof value === "string") return normalizeText(value, id);
  if (Array.isArray(value)) return value.map((item) => normalize(item, id));
  if (!isTree(value)) return value;
  const copy: Tree = {};
  for (const [key, item] of Object.entries(value)) copy[normalizeText(key, id)] = normalizeField(key, item, value, id);
  if (copy["kind"] === "Status") return normalizeStatus(copy);
  return copy;
}

/** Writers of an object stand in the order of their last writes, to the second: a matter of speed where there are several. */
export function inOneOrder(managedFields: readonly unknown[]): readonly unknown[] {
  const rank = (entry: unknown) =>
    isTree(entry)
      ? JSON.stringify(["operation", "manager", "subresource", "apiVersion"].map((key) => entry[key] ?? ""))
      : "";
  return managedFields.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function normalizeField(key: string, value: unknown, parent: Tree, id: string): unknown {
  if (key === "managedFields" && Array.isArray(value)) return inOneOrder(value.map((entry) => normalize(entry, id)));
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
    .replace(dump, "$1DUMP$2")
    .replace(diff, "")
    .replace(goValue, "got VALUE")
    .replaceAll(/(ResourceVersion in (?:the precondition|record)) \(\d+\)/g, "$1 (RV)")
    .replace(takenPort, "$1PORT$2")
    .replaceAll(/(resource ?version(?: in precondition| in object meta)?:? )"?\d+"?(?: \(\d+\))?/gi, "$1RV");
}
