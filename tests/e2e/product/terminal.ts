import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { eventually } from "@jibe/testkit";

/** Whether terminals can be played here: they need tmux. */
export const hasTerminals = spawnSync("tmux", ["-V"]).status === 0;

/** A real terminal with a shell in it. Disposing ends all that runs there. */
export class TestTerminal implements Disposable {
  readonly #socket = `jibe-${randomBytes(6).toString("hex")}`;

  constructor({ columns, rows = 20 }: { readonly columns: number; readonly rows?: number }) {
    this.#tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", String(columns), "-y", String(rows), "sh");
  }

  /** Types a line and presses return. */
  type(line: string): void {
    this.#tmux("send-keys", "-t", "t", "-l", line);
    this.#tmux("send-keys", "-t", "t", "Enter");
  }

  /** Presses a key by its name, or types a text that is none. */
  press(key: string): void {
    this.#tmux("send-keys", "-t", "t", "--", key);
  }

  resize(columns: number): void {
    this.#tmux("resize-window", "-t", "t", "-x", String(columns), "-y", "20");
  }

  /** What can be seen now; with `styles`, colours as escape sequences. */
  screen({ styles = false }: { readonly styles?: boolean } = {}): string {
    return this.#tmux("capture-pane", "-p", ...(styles ? ["-e"] : []), "-t", "t").trimEnd();
  }

  /** Waits until the screen shows it, and gives the screen. */
  async shows(text: string | RegExp): Promise<string> {
    return eventually(
      () => {
        const screen = this.screen();
        if (typeof text === "string" ? screen.includes(text) : text.test(screen)) return screen;
        throw new Error(`the terminal does not show ${text}:\n${screen}`);
      },
      { timeoutMs: 60_000, intervalMs: 100 },
    );
  }

  [Symbol.dispose](): void {
    this.#tmux("kill-server");
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", ["-L", this.#socket, ...args], {
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "", LC_ALL: "C.UTF-8" },
    });
  }
}
