import type { Scope } from "@jibe/base";
import type { RestoreAction, RunPlugins } from "../ports/plugins.ts";
import { type ActionSelector, actionSelector } from "../select/action-selector.ts";
import type { ResourceFinder } from "../select/resource-filter.ts";

interface ResolvedAction {
  readonly action: RestoreAction;
  readonly selector: ActionSelector;
}

/** The actions of a run. Which of them want items of a type in a namespace is found out once. */
export class ResolvedActions {
  readonly #all: readonly ResolvedAction[];
  readonly #byPlace = new Map<string, readonly ResolvedAction[]>();

  constructor(all: readonly ResolvedAction[]) {
    this.#all = all;
  }

  /** In the order in which they run; whether they want the item's labels is still to be asked. */
  forPlace(groupResource: string, namespace: string): readonly ResolvedAction[] {
    const key = `${groupResource}/${namespace}`;
    const known = this.#byPlace.get(key);
    if (known) return known;
    const place = { groupResource, namespace };
    const wanted = this.#all.filter(({ selector }) => selector.matchesPlace(place));
    this.#byPlace.set(key, wanted);
    return wanted;
  }
}

/** Asks every action once what it wants to see. Actions of the CSI support are left out unless it is on. */
export async function resolveActions(
  plugins: Pick<RunPlugins, "restoreActions">,
  { types, enableCsi }: { readonly types: ResourceFinder; readonly enableCsi: boolean },
  scope: Scope,
): Promise<ResolvedActions> {
  const actions = await plugins.restoreActions(scope);
  const wanted = actions.filter(({ name }) => enableCsi || !name.includes("velero.io/csi-"));
  const resolved = wanted.map(async (action) => {
    const selector = await action.appliesTo(scope);
    return { action, selector: actionSelector({ name: action.name, selector }, types) };
  });
  return new ResolvedActions(await Promise.all(resolved));
}
