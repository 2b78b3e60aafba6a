/** One entry of an object's field ownership. */
type ManagedFields = readonly Readonly<Record<string, unknown>>[];

/**
 * The manager to create an object under, so that its field ownership comes back with the create itself: possible when one manager owned
 * everything by plain updates.
 */
export function soleFieldManager(managedFields: ManagedFields | undefined): string | undefined {
  const [only, ...others] = managedFields ?? [];
  if (!only || others.length > 0) return undefined;
  const { manager, operation, subresource } = only;
  if (operation !== "Update" || subresource || typeof manager !== "string" || manager === "") return undefined;
  return manager;
}

/** Whether field ownership must be written back after the create. */
export function needsManagedFieldsPatch(managedFields: ManagedFields | undefined): boolean {
  return managedFields !== undefined && managedFields.length > 0 && soleFieldManager(managedFields) === undefined;
}
