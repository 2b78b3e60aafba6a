import { watchCommand } from "../resource/watch-command.ts";

export const restoreWatch = watchCommand("restore");
