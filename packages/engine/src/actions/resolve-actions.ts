import { AppError, type Labels, type Scope } from "@jibe/base";
import type { ResourceSelector } from "@jibe/plugin-sdk/contracts";
import { type ActionSelector, actionSelector } from "../select/action-selector.ts";
import type { ResourceFinder } from "../select/resource-filter.ts";

/** Any kind of action: it says what it applies to. */
export interface SelectingAction {
  readonly name: string;
  appliesTo(scope: Scope): Promise<ResourceSelector>;
}

/** An item, as far as actions choose by it: its labels are those it was collected with. */
export interface Selectable {
  readonly groupResource: string;
  readonly namespace: string;
  readonly labels: Labels;
}

/** The actions of one kind with their selectors asked for and resolved, in the order of execution. */
export class ResolvedActions<Action extends SelectingAction> {
  readonly #all: readonly { readonly action: Action; readonly selector: ActionSelector }[];
  readonly #byPlace = new Map<string, { readonly namespace: string; readonly found: ResolvedActions<Action>["all"] }>();

  constructor(all: readonly { readonly action: Action; readonly selector: ActionSelector }[]) {
    this.#all = all;
  }

  get all(): readonly { readonly action: Action; readonly selector: ActionSelector }[] {
    return this.#all;
  }

  /** The actions that apply to an item, in order. */
  for(item: Selectable): readonly Action[] {
    const candidates = this.#at(item);
    if (candidates.length === 0) return none;
    return candidates.filter(({ selector }) => selector.matchesLabels(item.labels)).map(({ action }) => action);
  }

  /** Items come sorted by type and namespace, so the last namespace of each type is the one to remember. */
  #at({ groupResource, namespace }: Selectable): ResolvedActions<Action>["all"] {
    const last = this.#byPlace.get(groupResource);
    if (last?.namespace === namespace) return last.found;
    const found = this.#all.filter(({ selector }) => selector.matchesPlace({ groupResource, namespace }));
    this.#byPlace.set(groupResource, { namespace, found });
    return found;
  }
}

const none: readonly never[] = [];

/** Asks every action once what it applies to. One that cannot say, or says something impossible, fails the run. */
export async function resolveActions<Action extends SelectingAction>(
  actions: readonly Action[],
  types: ResourceFinder,
  scope: Scope,
): Promise<ResolvedActions<Action>> {
  const resolved = await Promise.all(
    actions.map(async (action) => {
      const selector = await action.appliesTo(scope).catch((cause: unknown) => {
        scope.signal.throwIfAborted();
        const text = `plugin ${JSON.stringify(action.name)} cannot say what it applies to`;
        throw new AppError("Internal", text, { cause });
      });
      return { action, selector: actionSelector({ name: action.name, selector }, types) };
    }),
  );
  return new ResolvedActions(resolved);
}
