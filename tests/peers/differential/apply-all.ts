import { AppError } from "@jibe/base";
import type { Kubernetes } from "@jibe/testkit/peers";
import type { DataObject } from "./spec-file.ts";

const isFirst = ({ kind }: DataObject) => kind === "Namespace" || kind === "CustomResourceDefinition";
const isOwned = ({ metadata }: DataObject) => "ownerReferences" in metadata;

/** Creates objects: namespaces and definitions first, the rest when those are ready, and last what others own. */
export async function applyAll(kubernetes: Kubernetes, objects: readonly DataObject[]): Promise<void> {
  const unique = [...new Map(objects.map((each) => [keyOf(each), each])).values()];
  const first = unique.filter(isFirst);
  if (first.length > 0) await kubernetes.apply(first);
  await kubernetes.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"]);
  const rest = unique.filter((each) => !isFirst(each) && !isOwned(each));
  if (rest.length > 0) await kubernetes.apply(rest);
  for (const object of rest.filter(hasOwnStatus)) await applyStatus(kubernetes, object);
  const owned = await Promise.all(unique.filter(isOwned).map((each) => withOwnersUids(kubernetes, each)));
  if (owned.length > 0) await kubernetes.apply(owned);
}

const keyOf = ({ apiVersion, kind, metadata }: DataObject) =>
  [apiVersion, kind, metadata.namespace, metadata.name].join("/");

// Types of the cluster itself have controllers that write their status; for custom ones we are that controller.
const hasOwnStatus = ({ apiVersion, status }: DataObject) => apiVersion.includes("example.io/") && status !== undefined;

async function applyStatus(kubernetes: Kubernetes, object: DataObject): Promise<void> {
  const args = ["apply", "--server-side", "--subresource=status", "-f", "-"];
  const { exitCode, stderr } = await kubernetes.kubectl(args, JSON.stringify(object));
  if (exitCode !== 0) throw new AppError("InvalidArgument", `cannot set the status of ${keyOf(object)}: ${stderr}`);
}

/** An owner's uid is not known to a data file, which says `{ $uidOf: <type>/<name> }`; the owner is in the same namespace. */
async function withOwnersUids(kubernetes: Kubernetes, object: DataObject): Promise<DataObject> {
  const { namespace = "", ownerReferences } = object.metadata;
  const resolved = (ownerReferences as readonly { readonly uid: { readonly $uidOf: string } }[]).map(async (owner) => {
    const args = ["get", owner.uid.$uidOf, "-n", namespace, "-o=jsonpath={.metadata.uid}"];
    const { stdout: uid, stderr } = await kubernetes.kubectl(args);
    if (uid === "") throw new AppError("NotFound", `no owner ${owner.uid.$uidOf} of ${keyOf(object)}: ${stderr}`);
    return { ...owner, uid };
  });
  return { ...object, metadata: { ...object.metadata, ownerReferences: await Promise.all(resolved) } };
}
