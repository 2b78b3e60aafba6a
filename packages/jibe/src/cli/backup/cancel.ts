import { cancelCommand } from "../resource/cancel-command.ts";

export const backupCancel = cancelCommand("backup");
