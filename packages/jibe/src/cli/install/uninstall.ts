import { hasCode } from "@jibe/base";
import { customResourceDefinitions } from "../../crds/index.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { isConfirmed } from "../confirm.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};
const clusterRoleBindings = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterrolebindings",
  kind: "ClusterRoleBinding",
  namespaced: false,
};
const clusterRoles = { ...clusterRoleBindings, resource: "clusterroles", kind: "ClusterRole" };
const namespaces = { group: "", version: "v1", resource: "namespaces", kind: "Namespace", namespaced: false };

export const uninstall = command({
  usage: "uninstall",
  summary: "Remove the server and its resource definitions from a cluster; backups stay in their stores",
  flags: {
    force: flag.boolean("Do not ask"),
    wait: flag.boolean("Accepted for compatibility", false, { hidden: true }),
  },
  async run({ flags }, world, scope) {
    await using access = await openClusterAccess(flags, world, scope);
    const { namespace, client } = access;
    const told = `About to remove jibe, namespace ${JSON.stringify(namespace)} and all resources of velero.io from the cluster.`;
    if (!flags.force && !(await isConfirmed(told, world, "--force"))) return exitCode.ok;
    const remove = async (type: typeof namespaces, name: string) => {
      try {
        await access.explained({ verb: "delete", type }, client.delete(type, { name }, scope));
        world.out.line(`${type.kind}/${name}: deleted`);
      } catch (error) {
        if (!hasCode(error, "NotFound")) throw error;
      }
    };
    await releaseRestores();
    await remove(clusterRoleBindings, `jibe-${namespace}`);
    await remove(clusterRoles, `jibe-${namespace}`);
    await remove(namespaces, namespace);
    for (const { metadata } of customResourceDefinitions()) await remove(definitions, metadata.name);
    world.out.line("jibe is uninstalled.");
    return exitCode.ok;

    /** Restores wait for a server to remove their files; without one they would stay for ever. */
    async function releaseRestores(): Promise<void> {
      const { veleroTypes } = await import("../../api/resource-types.ts");
      const restores = await access.list(veleroTypes.restore, "", scope).catch(() => []);
      for (const { metadata } of restores)
        await access.patch(veleroTypes.restore, metadata.name, { metadata: { finalizers: null } }, scope);
    }
  },
});
