import { cancelCommand } from "../resource/cancel-command.ts";

export const restoreCancel = cancelCommand("restore");
