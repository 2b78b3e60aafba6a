import { randomBytes } from "node:crypto";
import { AppError, matchesLabels } from "@jibe/base";
import { hookCommandFrom, includesExcludes } from "@jibe/engine";
import type {
  KubernetesObject,
  Restore,
  RestoreItemActionV1,
  RestoreResourceHookSpec,
} from "@jibe/plugin-sdk/contracts";
import { edited, type Fields, fieldsOf, listOf, textOf } from "../object-fields.ts";

const prefix = "init.hook.restore.velero.io";

/**
 * Adds init containers that a pod's annotations or the restore ask for. They run after one that waits for volume data, before the
 * pod's own.
 */
export const initRestoreHook: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["pods"] }),
  execute: async ({ item, restore }) => {
    const hooks = hooksFromAnnotations(item) ?? hooksFromSpec(item, restore);
    if (hooks.length === 0) return { item };
    return {
      item: edited(item, (pod) => {
        const spec = fieldsOf(pod["spec"]);
        const own = listOf(spec["initContainers"]);
        const waiting = own[0]?.["name"] === "restore-wait" ? 1 : 0;
        spec["initContainers"] = [...own.slice(0, waiting), ...hooks, ...own.slice(waiting)];
      }),
    };
  },
};

function hooksFromAnnotations({ metadata: { annotations = {} } }: KubernetesObject): Fields[] | undefined {
  const image = annotations[`${prefix}/container-image`] ?? "";
  if (image === "") return undefined;
  const name = annotations[`${prefix}/container-name`] || `velero-restore-init-${randomBytes(4).toString("hex")}`;
  const command = annotations[`${prefix}/command`] ?? "";
  return [{ name, image, ...(command === "" ? {} : { command: hookCommandFrom(command) }) }];
}

function hooksFromSpec(pod: KubernetesObject, { spec }: Restore): Fields[] {
  const { namespace = "", labels = {} } = pod.metadata;
  const target = spec.namespaceMapping?.[namespace] ?? namespace;
  return (spec.hooks?.resources ?? [])
    .filter((hook) => appliesTo(hook, target, labels))
    .flatMap(({ name, postHooks = [] }) =>
      postHooks.flatMap(({ init }) => (init?.initContainers ?? []).map((container) => checked(name, container))),
    );
}

function appliesTo(
  hook: RestoreResourceHookSpec,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): boolean {
  const namespaces = includesExcludes({ includes: hook.includedNamespaces, excludes: hook.excludedNamespaces });
  return namespaces.shouldInclude(namespace) && (!hook.labelSelector || matchesLabels(hook.labelSelector, labels));
}

function checked(hook: string, container: Record<string, unknown>): Fields {
  const { name, image, command } = container;
  const missing =
    textOf(name) === "" ? "name" : textOf(image) === "" ? "image" : Array.isArray(command) ? "" : "command";
  if (missing === "") return container;
  throw new AppError("InvalidArgument", `restore hook "${hook}": an init container has no ${missing}`);
}
