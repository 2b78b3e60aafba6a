import { AppError } from "@jibe/base";
import type { KubernetesObject, RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, type Fields, fieldsOf, listOf, numberOf, textOf } from "../object-fields.ts";

/**
 * Removes addresses and node ports that the old cluster chose. A node port stays where a person chose it: it stands in the last
 * applied configuration, or, without one, somebody owns the field.
 */
export const restoreService: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["services"] }),
  execute: async ({ item, itemFromBackup, restore }) => ({
    item: edited(item, (service) => {
      const spec = fieldsOf(service["spec"]);
      if (spec["clusterIP"] !== "None") {
        delete spec["clusterIP"];
        delete spec["clusterIPs"];
      }
      if (restore.spec.preserveNodePorts === true) return;
      const owned = ownedFields(item.metadata.managedFields ? item : itemFromBackup);
      const applied = lastApplied(service);
      removeNodePorts(spec, applied, owned);
      removeHealthCheckNodePort(spec, applied, owned);
    }),
  }),
};

function removeNodePorts(spec: Fields, applied: Fields | undefined, owned: readonly Fields[]): void {
  if (spec["type"] === "ExternalName") return;
  const isChosen = applied ? chosenByApply(applied) : chosenByOwner(owned);
  for (const port of listOf(spec["ports"])) if (!isChosen(port)) delete port["nodePort"];
}

/** By name where ports have names, else by number. */
function chosenByApply(applied: Fields): (port: Fields) => boolean {
  const ports = listOf(applied["ports"]).filter(({ nodePort }) => numberOf(nodePort) > 0);
  const names = new Set(ports.map(({ name }) => textOf(name)));
  const numbers = new Set(ports.filter(({ name }) => name === undefined).map(({ nodePort }) => numberOf(nodePort)));
  return ({ name, nodePort }) => (textOf(name) === "" ? numbers.has(numberOf(nodePort)) : names.has(textOf(name)));
}

function chosenByOwner(owned: readonly Fields[]): (port: Fields) => boolean {
  const entries = owned.map((spec) => fieldsOf(spec["f:ports"]));
  return ({ port, protocol = "TCP" }) =>
    entries.some((ports) => {
      const entry = fieldsOf(ports[`k:{"port":${numberOf(port)},"protocol":"${textOf(protocol)}"}`]);
      return entry["f:nodePort"] !== undefined;
    });
}

function removeHealthCheckNodePort(spec: Fields, applied: Fields | undefined, owned: readonly Fields[]): void {
  if (spec["type"] !== "LoadBalancer" || spec["externalTrafficPolicy"] !== "Local") return;
  if (numberOf(applied?.["healthCheckNodePort"]) !== 0) return;
  if (owned.some((entry) => entry["f:healthCheckNodePort"] !== undefined)) return;
  delete spec["healthCheckNodePort"];
}

/** The `spec` of what was last applied by kubectl. */
function lastApplied({ metadata }: KubernetesObject): Fields | undefined {
  const text = metadata.annotations?.["kubectl.kubernetes.io/last-applied-configuration"];
  if (text === undefined) return undefined;
  try {
    return fieldsOf(fieldsOf(JSON.parse(text))["spec"]);
  } catch (cause) {
    throw new AppError("InvalidArgument", "the last applied configuration is not valid JSON", { cause });
  }
}

/** The fields of `spec` that each manager owns. */
function ownedFields({ metadata }: KubernetesObject): Fields[] {
  return listOf(metadata.managedFields).map(({ fieldsV1 }) => fieldsOf(fieldsOf(fieldsV1)["f:spec"]));
}
