import { AppError, hasCode, messageOf, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { bodyFromObject, type ItemBody } from "../item/item-body.ts";
import type { ResourceType } from "../ports/cluster.ts";
import { isSame } from "./existing-object.ts";
import { soleFieldManager } from "./managed-fields.ts";
import { resourceIdOf, withoutManagedFields } from "./object-edits.ts";
import type { ItemWork, RestoreRun } from "./restore-run.ts";
import { retryWrite } from "./retry-write.ts";
import { serverCauses, serverText } from "./server-text.ts";

export type CreateOutcome =
  | { readonly kind: "created"; readonly body: ItemBody }
  | { readonly kind: "exists"; readonly live: KubernetesObject }
  /** It is there already and needs no change. */
  | { readonly kind: "equal" }
  | { readonly kind: "failed" };

/**
 * Creates the object. One request where nothing is in the way; only when the server says that the object exists is it read. An object of
 * this restore's own making, from an earlier attempt or a request whose answer was lost, counts as created.
 */
export async function createObject(
  work: ItemWork,
  { type, desired }: { readonly type: ResourceType; readonly desired: KubernetesObject },
  scope: Scope,
): Promise<CreateOutcome> {
  const { run, place } = work;
  const { cluster, clock } = run.ports;
  const fieldManager = soleFieldManager(desired.metadata.managedFields);
  const request = {
    body: bodyFromObject(withoutManagedFields(desired)),
    ...(place.targetNamespace === "" ? {} : { namespace: place.targetNamespace }),
    ...(fieldManager === undefined ? {} : { fieldManager }),
  };
  const { groupResource, targetNamespace } = place;
  if (desired.metadata.name && run.existing.expects(groupResource, targetNamespace)) {
    const found = await findExisting(work, { type, desired }, scope);
    run.existing.saw(groupResource, targetNamespace, found !== undefined);
    if (found) return found;
  }
  try {
    const body = await retryWrite(() => cluster.create(type, request, scope), clock, scope);
    run.existing.saw(groupResource, targetNamespace, false);
    return { kind: "created", body };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!meansExisting(error, desired)) return refuse(work, error);
    run.existing.saw(groupResource, targetNamespace, true);
    return readExisting(work, { type, desired, error }, scope);
  }
}

/**
 * Looks before creating: in a list, which is a moment old and therefore good only for objects that need no change, then for the object
 * itself. What is not there, or cannot be read, is left to the create.
 */
async function findExisting(
  work: ItemWork,
  object: { readonly type: ResourceType; readonly desired: KubernetesObject },
  scope: Scope,
): Promise<CreateOutcome | undefined> {
  const { run, place } = work;
  const { type, desired } = object;
  const name = { namespace: place.targetNamespace, name: desired.metadata.name };
  const listed = await run.live.find(type, name, scope);
  if (listed === "absent") return undefined;
  try {
    if (listed !== "unknown") {
      if (isOwnWork(run, listed.object)) return { kind: "created", body: listed };
      if (isSame(run, { desired, live: listed.object })) return { kind: "equal" };
    }
    return await readLive(work, object, scope);
  } catch {
    scope.signal.throwIfAborted();
    return undefined;
  }
}

async function readLive(
  { run, place }: ItemWork,
  { type, desired }: { readonly type: ResourceType; readonly desired: KubernetesObject },
  scope: Scope,
): Promise<CreateOutcome> {
  const { targetNamespace: namespace } = place;
  const name = { name: desired.metadata.name, ...(namespace === "" ? {} : { namespace }) };
  const body = await run.ports.cluster.get(type, name, scope);
  return isOwnWork(run, body.object) ? { kind: "created", body } : { kind: "exists", live: body.object };
}

/** A service also exists when the only complaint is that its own ports are taken; whether it does is seen when it is read. */
function meansExisting(error: unknown, { kind }: KubernetesObject): boolean {
  if (hasCode(error, "AlreadyExists")) return true;
  const causes = serverCauses(error);
  return (
    kind === "Service" && causes.length > 0 && causes.every((cause) => cause.includes("port is already allocated"))
  );
}

async function readExisting(
  work: ItemWork,
  object: { readonly type: ResourceType; readonly desired: KubernetesObject; readonly error: unknown },
  scope: Scope,
): Promise<CreateOutcome> {
  try {
    return await readLive(work, object, scope);
  } catch (cause) {
    scope.signal.throwIfAborted();
    if (!hasCode(object.error, "AlreadyExists")) return refuse(work, object.error);
    work.report.warning(serverText(cause) ?? messageOf(cause), { step: "existing object" });
    return { kind: "failed" };
  }
}

function refuse({ place, report }: ItemWork, error: unknown): CreateOutcome {
  const id = resourceIdOf(place.groupResource, place.targetNamespace, place.name);
  report.error(`error restoring ${id}: ${serverText(error) ?? messageOf(error)}`, { step: "create" });
  return { kind: "failed" };
}

/** Whether this restore made the object: it bears its labels and is not older. Names come back; times do not. */
export function isOwnWork(
  { labels, startedMs }: Pick<RestoreRun, "labels" | "startedMs">,
  live: KubernetesObject,
): boolean {
  const created = Date.parse(live.metadata.creationTimestamp ?? "");
  return created >= startedMs && Object.entries(labels).every(([key, value]) => live.metadata.labels?.[key] === value);
}

/** The type under which an object is created: its own version of the type it came as, or of the kind an action made of it. */
export function targetType(
  { run, place }: Pick<ItemWork, "run" | "place">,
  object: KubernetesObject,
  kindInBackup: string,
): ResourceType {
  const { apiVersion, kind } = object;
  const resource = place.groupResource.split(".", 1)[0] ?? "";
  const type = kind === kindInBackup ? run.types.served(apiVersion, resource) : run.types.servedKind(apiVersion, kind);
  if (type) return type;
  throw new AppError(
    "Unsupported",
    `the cluster does not serve ${kind === kindInBackup ? resource : kind} in ${apiVersion}`,
  );
}
