import { veleroTypes } from "../../api/resource-types.ts";
import { logsCommand } from "../resource/logs-command.ts";

export const restoreLogs = logsCommand({ kind: "restore", type: veleroTypes.restore, target: "RestoreLog" });
