import { AppError, hasCode, type Scope } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import type { KubeClient } from "@jibe/kube";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { closest } from "./closest.ts";
import type { CliWorld } from "./command.ts";
import { serverNamespace } from "./settings.ts";

/** The global flags, as a command receives them among its own. */
export interface AccessFlags {
  readonly kubeconfig?: string;
  readonly kubecontext?: string;
  readonly namespace?: string;
}

/** The cluster a command works on, in the server's namespace. */
export interface ClusterAccess extends AsyncDisposable {
  readonly client: KubeClient;
  readonly namespace: string;
  get<T extends KubernetesObject>(type: ResourceType, name: string, scope: Scope): Promise<T>;
  list<T extends KubernetesObject>(type: ResourceType, labelSelector: string, scope: Scope): Promise<T[]>;
  create<T extends KubernetesObject>(type: ResourceType, object: T, scope: Scope): Promise<T>;
  patch<T extends KubernetesObject>(type: ResourceType, name: string, patch: object, scope: Scope): Promise<T>;
  delete(type: ResourceType, name: string, scope: Scope): Promise<void>;
}

/** Connects as the flags, the kubeconfig and the environment say. */
export async function openClusterAccess(flags: AccessFlags, world: CliWorld, scope: Scope): Promise<ClusterAccess> {
  const { connectCluster } = await import("@jibe/kube");
  const client = await connectCluster(
    {
      env: world.env,
      clock: world.clock,
      ...(flags.kubeconfig ? { kubeconfig: flags.kubeconfig } : {}),
      ...(flags.kubecontext ? { context: flags.kubecontext } : {}),
    },
    scope,
  );
  const namespace = await serverNamespace(flags.namespace ?? "", world.env);
  const access: ClusterAccess = {
    client,
    namespace,
    get: async <T extends KubernetesObject>(type: ResourceType, name: string, inner: Scope) => {
      try {
        return (await client.get(type, { namespace, name }, inner)) as unknown as T;
      } catch (error) {
        throw hasCode(error, "NotFound") ? await notFound(access, type, name, inner) : error;
      }
    },
    list: async <T extends KubernetesObject>(type: ResourceType, labelSelector: string, inner: Scope) => {
      const options = { namespace, ...(labelSelector ? { labelSelector } : {}) };
      return (await client.list(type, options, inner)).items as unknown as T[];
    },
    create: async <T extends KubernetesObject>(type: ResourceType, object: T, inner: Scope) =>
      (await client.create(type, { namespace, object }, inner)) as unknown as T,
    patch: async <T extends KubernetesObject>(type: ResourceType, name: string, patch: object, inner: Scope) =>
      (await client.patch(type, { namespace, name, patch, contentType: "merge" }, inner)) as unknown as T,
    delete: (type, name, inner) => client.delete(type, { namespace, name }, inner),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
  return access;
}

/** Says what is missing, and which name was probably meant. */
async function notFound(access: ClusterAccess, type: ResourceType, name: string, scope: Scope): Promise<AppError> {
  const what = `${type.kind.toLowerCase()} ${JSON.stringify(name)} not found in namespace ${JSON.stringify(access.namespace)}`;
  const names = await access.list(type, "", scope).then(
    (objects) => objects.map(({ metadata }) => metadata.name),
    () => [],
  );
  const guess = closest(name, names);
  return new AppError("NotFound", guess ? `${what}; did you mean ${JSON.stringify(guess)}?` : what);
}
