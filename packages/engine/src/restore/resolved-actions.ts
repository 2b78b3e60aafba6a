import type { Scope } from "@jibe/base";
import type { RestoreAction, RunPlugins } from "../ports/plugins.ts";
import { type ActionSelector, actionSelector } from "../select/action-selector.ts";
import type { ResourceFinder } from "../select/resource-filter.ts";

export interface ResolvedAction {
  readonly action: RestoreAction;
  readonly selector: ActionSelector;
}

/** Asks every action once what it wants to see. Actions of the CSI support are left out unless it is on. */
export async function resolveActions(
  plugins: Pick<RunPlugins, "restoreActions">,
  { types, enableCsi }: { readonly types: ResourceFinder; readonly enableCsi: boolean },
  scope: Scope,
): Promise<ResolvedAction[]> {
  const actions = await plugins.restoreActions(scope);
  const wanted = actions.filter(({ name }) => enableCsi || !name.includes("velero.io/csi-"));
  return Promise.all(
    wanted.map(async (action) => {
      const selector = await action.appliesTo(scope);
      return { action, selector: actionSelector({ name: action.name, selector }, types) };
    }),
  );
}
