import { watchCommand } from "../resource/watch-command.ts";

export const backupWatch = watchCommand("backup");
