import { AppError, type LabelSelector, type Labels, matchesLabels, parseLabelSelector } from "@jibe/base";
import type { ResourceSelector } from "@jibe/plugin-sdk/contracts";
import { includesExcludes } from "./includes-excludes.ts";
import { type ResourceFinder, resourceFilter } from "./resource-filter.ts";

/** Which items an action is run on. */
export interface ActionSelector {
  /** By type and place alone; what passes may still be refused for its labels. */
  matchesPlace(item: { readonly groupResource: string; readonly namespace: string }): boolean;
  matchesLabels(labels: Labels | undefined): boolean;
}

/**
 * Resolves what an action asked for. Cluster-scoped items match only an action without any namespace restriction. A label selector that
 * cannot be read fails with `InvalidArgument` that names the action.
 */
export function actionSelector(
  action: { readonly name: string; readonly selector: ResourceSelector },
  types: ResourceFinder,
): ActionSelector {
  const { includedNamespaces, excludedNamespaces, includedResources, excludedResources, labelSelector } =
    action.selector;
  const namespaces = includesExcludes({ includes: includedNamespaces, excludes: excludedNamespaces });
  const resources = resourceFilter({ includes: includedResources, excludes: excludedResources }, types);
  const labels = selectorOf(action.name, labelSelector);
  return {
    matchesPlace: ({ groupResource, namespace }) =>
      resources.shouldInclude(groupResource) &&
      (namespace === "" ? namespaces.includesEverything() : namespaces.shouldInclude(namespace)),
    matchesLabels: (given) => labels === undefined || matchesLabels(labels, given),
  };
}

function selectorOf(action: string, text: string | undefined): LabelSelector | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  try {
    return parseLabelSelector(text);
  } catch (cause) {
    throw new AppError("InvalidArgument", `plugin ${JSON.stringify(action)} has an invalid label selector`, { cause });
  }
}
