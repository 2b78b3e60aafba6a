import { AppError, hasCode, type Scope } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import type { KubeClient } from "@jibe/kube";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { type AccessTarget, explainAccessError } from "./access-error.ts";
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
  /** Makes the error of a call to `client` say what to do. */
  explained<R>(target: AccessTarget, call: Promise<R>): Promise<R>;
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
  const { statusOf } = await import("@jibe/kube");
  const explained = async <R>(target: AccessTarget, call: Promise<unknown>): Promise<R> => {
    try {
      return (await call) as R;
    } catch (error) {
      throw explainAccessError(error, statusOf(error), target);
    }
  };
  const access: ClusterAccess = {
    client,
    namespace,
    get: async (type, name, inner) => {
      try {
        return await explained({ verb: "get", type, namespace }, client.get(type, { namespace, name }, inner));
      } catch (error) {
        const isMissing = hasCode(error, "NotFound") && statusOf(error)?.details["name"] === name;
        throw isMissing ? await notFound(access, type, name, inner) : error;
      }
    },
    list: async <T extends KubernetesObject>(type: ResourceType, labelSelector: string, inner: Scope) => {
      const options = { namespace, ...(labelSelector ? { labelSelector } : {}) };
      const call = client.list(type, options, inner);
      return (await explained<{ items: T[] }>({ verb: "list", type, namespace }, call)).items;
    },
    create: async (type, object, inner) => {
      try {
        return await explained({ verb: "create", type, namespace }, client.create(type, { namespace, object }, inner));
      } catch (error) {
        throw hasCode(error, "AlreadyExists") ? alreadyThere(type, object.metadata.name, namespace) : error;
      }
    },
    patch: (type, name, patch, inner) =>
      explained(
        { verb: "patch", type, namespace },
        client.patch(type, { namespace, name, patch, contentType: "merge" }, inner),
      ),
    delete: (type, name, inner) =>
      explained({ verb: "delete", type, namespace }, client.delete(type, { namespace, name }, inner)),
    explained,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
  return access;
}

/** Says what is missing, and which name was probably meant. */
async function notFound(access: ClusterAccess, type: ResourceType, name: string, scope: Scope): Promise<AppError> {
  const what = `${wordsFor(type)} ${JSON.stringify(name)} not found in namespace ${JSON.stringify(access.namespace)}`;
  const names = await access.list(type, "", scope).then(
    (objects) => objects.map(({ metadata }) => metadata.name),
    () => undefined,
  );
  return new AppError("NotFound", names ? `${what}; ${hintFrom(name, names)}` : what);
}

const mostNamed = 5;

function hintFrom(name: string, names: readonly string[]): string {
  const guess = closest(name, names);
  if (guess) return `did you mean ${JSON.stringify(guess)}?`;
  if (names.length === 0) return "there are none";
  const named = names.slice(0, mostNamed).map((one) => JSON.stringify(one));
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return `there: ${named.join(", ")}${more}`;
}

function alreadyThere(type: ResourceType, name: string, namespace: string): AppError {
  const what = `${wordsFor(type)} ${JSON.stringify(name)} already exists in namespace ${JSON.stringify(namespace)}`;
  return new AppError("AlreadyExists", `${what}: choose another name, or delete that one first`);
}

/** `backup storage location` for a BackupStorageLocation. */
const wordsFor = ({ kind }: ResourceType) => kind.replace(/(?!^)[A-Z]/g, " $&").toLowerCase();
