import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ResourceIdentifier, ResourceSelector } from "../contracts/index.ts";
import type {
  ResourceIdentifier as IdentifierMessage,
  ResourceIdentifierSchema,
  ResourceSelectorSchema,
  ResourceSelector as SelectorMessage,
} from "../gen/generated/shared_pb.ts";

export function identifierAsMessage(id: ResourceIdentifier): MessageInitShape<typeof ResourceIdentifierSchema> {
  const dot = id.groupResource.indexOf(".");
  return {
    resource: dot < 0 ? id.groupResource : id.groupResource.slice(0, dot),
    group: dot < 0 ? "" : id.groupResource.slice(dot + 1),
    namespace: id.namespace ?? "",
    name: id.name,
  };
}

export function identifierFromMessage({ group, resource, namespace, name }: IdentifierMessage): ResourceIdentifier {
  const groupResource = group === "" ? resource : `${resource}.${group}`;
  return namespace === "" ? { groupResource, name } : { groupResource, namespace, name };
}

export function identifiersAsMessages(ids: readonly ResourceIdentifier[] = []) {
  return ids.map(identifierAsMessage);
}

export function identifiersFromMessages(messages: readonly IdentifierMessage[]): readonly ResourceIdentifier[] {
  return messages.map(identifierFromMessage);
}

export function selectorAsMessage(selector: ResourceSelector): MessageInitShape<typeof ResourceSelectorSchema> {
  return {
    includedNamespaces: [...(selector.includedNamespaces ?? [])],
    excludedNamespaces: [...(selector.excludedNamespaces ?? [])],
    includedResources: [...(selector.includedResources ?? [])],
    excludedResources: [...(selector.excludedResources ?? [])],
    selector: selector.labelSelector ?? "",
  };
}

/** An absent selector is an empty one and matches everything. */
export function selectorFromMessage(message: SelectorMessage | undefined): ResourceSelector {
  if (!message) return {};
  const { includedNamespaces, excludedNamespaces, includedResources, excludedResources, selector } = message;
  return {
    ...(includedNamespaces.length > 0 && { includedNamespaces }),
    ...(excludedNamespaces.length > 0 && { excludedNamespaces }),
    ...(includedResources.length > 0 && { includedResources }),
    ...(excludedResources.length > 0 && { excludedResources }),
    ...(selector !== "" && { labelSelector: selector }),
  };
}
