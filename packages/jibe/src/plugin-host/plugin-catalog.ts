import type { PluginKind } from "@jibe/plugin-sdk/contracts";
import type { AnnouncedPlugin } from "@jibe/plugin-sdk/wire";

/** Kinds without their version: what a user means by "a BackupItemAction". */
export type PluginFamily =
  | "ObjectStore"
  | "VolumeSnapshotter"
  | "BackupItemAction"
  | "RestoreItemAction"
  | "DeleteItemAction"
  | "ItemBlockAction";

/** An executable, or one of its plugins, that cannot be used. */
export interface PluginProblem {
  readonly command: string;
  readonly message: string;
}

export function familyOf(kind: PluginKind): PluginFamily {
  return kind.replace(/V2$/, "") as PluginFamily;
}

/**
 * All plugins that were found on disk. Of a name that is there in both versions only version 2 is kept, so that it runs
 * once. A name that two executables claim belongs to the first.
 */
export class PluginCatalog {
  readonly #plugins: AnnouncedPlugin[] = [];
  readonly #problems: PluginProblem[] = [];

  /** Takes in what one executable announced. Executables come in the order of their paths. */
  add(announced: readonly AnnouncedPlugin[]): void {
    const seen = new Set<string>();
    for (const plugin of announced) {
      const { kind, name, command } = plugin;
      const key = `${kind} ${name}`;
      const other = this.#plugins.find((known) => familyOf(known.kind) === familyOf(kind) && known.name === name);
      if (seen.has(key)) {
        this.report({ command, message: `${kind} "${name}" is announced twice` });
      } else if (other && other.command !== command) {
        this.report({ command, message: `${kind} "${name}" is ignored: ${other.command} has it already` });
      } else if (other) {
        if (kind.endsWith("V2")) this.#plugins.splice(this.#plugins.indexOf(other), 1, plugin);
      } else {
        this.#plugins.push(plugin);
      }
      seen.add(key);
    }
  }

  report(problem: PluginProblem): void {
    this.#problems.push(problem);
  }

  get plugins(): readonly AnnouncedPlugin[] {
    return this.#plugins;
  }

  get problems(): readonly PluginProblem[] {
    return this.#problems;
  }

  find(family: PluginFamily, name: string): AnnouncedPlugin | undefined {
    return this.#plugins.find((plugin) => plugin.name === name && familyOf(plugin.kind) === family);
  }

  /** In the order of execution: by executable; inside one, version 1 by name, then version 2 by name. */
  family(family: PluginFamily): readonly AnnouncedPlugin[] {
    const commands = [...new Set(this.#plugins.map(({ command }) => command))];
    return this.#plugins
      .filter(({ kind }) => familyOf(kind) === family)
      .sort(
        (a, b) =>
          commands.indexOf(a.command) - commands.indexOf(b.command) ||
          Number(a.kind.endsWith("V2")) - Number(b.kind.endsWith("V2")) ||
          (a.name < b.name ? -1 : 1),
      );
  }
}
