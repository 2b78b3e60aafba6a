import { cloneJson } from "@jibe/base";
import { numberAt, objectAt } from "../printing/read.ts";
import type { ClusterPort, KubeObject, ObjectMeta } from "./cluster-port.ts";
import { controllerReference, namespaceOf, ownedBy } from "./owned.ts";
import { templateHash, templateOf } from "./pod-template.ts";

export const revisionLabel = "controller-revision-hash";

export interface Revision {
  /** The object's name: the workload's with a hash of its template. */
  readonly name: string;
  readonly hash: string;
}

/** The ControllerRevision that holds a StatefulSet's or DaemonSet's present template; made when there is none. */
export function ensureRevision(port: ClusterPort, owner: KubeObject): Revision {
  const template = templateOf(owner);
  const hash = templateHash(template);
  const name = `${owner.metadata.name}-${hash}`;
  const owned = ownedBy(port, owner, "controllerrevisions.apps");
  const number = Math.max(0, ...owned.map((revision) => numberAt(revision, "revision")));
  const found = owned.find(({ metadata }) => metadata.name === name);
  if (found) {
    if (numberAt(found, "revision") < number) {
      port.update("controllerrevisions.apps", { ...cloneJson(found), revision: number + 1 });
    }
    return { name, hash };
  }
  const { labels = {} } = objectAt(template, "metadata") as Partial<ObjectMeta>;
  port.create("controllerrevisions.apps", {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name,
      namespace: namespaceOf(owner),
      labels: { ...labels, [revisionLabel]: hash },
      ownerReferences: [controllerReference(owner)],
    },
    data: { spec: { template: { ...cloneJson(template), $patch: "replace" } } },
    revision: number + 1,
  });
  return { name, hash };
}
