import { AppError, hasCode, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { coreTypes } from "../../api/resource-types.ts";
import type { ClusterAccess } from "../cluster-access.ts";

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy?: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [key: string]: unknown;
}

/** The part of a pod's spec that plugins concern. */
export interface PluginPodSpec {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly name: string; readonly [key: string]: unknown }[];
}

interface Deployment extends KubernetesObject {
  spec: { template: { spec: PluginPodSpec } };
}

const deploymentName = "velero";

/** Changes the pods of the server's deployment. They are replaced by new ones, as with any change of a deployment. */
export async function changeServerPods(
  change: (spec: PluginPodSpec) => PluginPodSpec,
  access: ClusterAccess,
  scope: Scope,
): Promise<void> {
  const { metadata, spec } = await serverDeployment(access, scope);
  const template = { spec: change(spec.template.spec) };
  const patch = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { template } };
  await access.patch(coreTypes.deployment, deploymentName, patch, scope);
}

async function serverDeployment(access: ClusterAccess, scope: Scope): Promise<Deployment> {
  try {
    return await access.get<Deployment>(coreTypes.deployment, deploymentName, scope);
  } catch (error) {
    if (!hasCode(error, "NotFound")) throw error;
    const place = `deployment "${deploymentName}" in namespace ${JSON.stringify(access.namespace)}`;
    const hint =
      'a server that runs elsewhere takes plugins from its --plugin-dir; "jibe install" makes the deployment';
    throw new AppError("NotFound", `there is no ${place}: ${hint}`, { cause: error });
  }
}

/** The spec with a plugin's image added: an init container that copies it into the folder all of them share. */
export function withPlugin(spec: PluginPodSpec, plugin: Container): PluginPodSpec {
  const { initContainers = [], volumes = [], containers } = spec;
  const taken = initContainers.find(({ name, image }) => name === plugin.name || image === plugin.image);
  if (taken) {
    const hint = `remove it first with jibe plugin remove ${taken.name}`;
    throw new AppError("AlreadyExists", `plugin ${taken.name} (${taken.image}) is already there; ${hint}`);
  }
  const hasVolume = volumes.some(({ name }) => name === pluginsVolume);
  const mount = { name: pluginsVolume, mountPath: "/plugins" };
  return {
    ...spec,
    initContainers: [...initContainers, plugin],
    volumes: hasVolume ? volumes : [...volumes, { name: pluginsVolume, emptyDir: {} }],
    containers: containers.map((container) => {
      const { volumeMounts = [] } = container;
      const isOurs = container.name === deploymentName && !volumeMounts.some(({ name }) => name === pluginsVolume);
      return isOurs ? { ...container, volumeMounts: [...volumeMounts, mount] } : container;
    }),
  };
}

export const pluginsVolume = "plugins";

/** The spec without the plugin of this name or image. */
export function withoutPlugin(spec: PluginPodSpec, nameOrImage: string): PluginPodSpec {
  const { initContainers = [] } = spec;
  const kept = initContainers.filter(({ name, image }) => name !== nameOrImage && image !== nameOrImage);
  if (kept.length === initContainers.length) {
    const there = initContainers.map(({ name, image }) => `${name} (${image})`).join(", ") || "none";
    throw new AppError("NotFound", `no plugin ${JSON.stringify(nameOrImage)} is installed; there: ${there}`);
  }
  return { ...spec, initContainers: kept };
}
