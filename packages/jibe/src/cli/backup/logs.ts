import { veleroTypes } from "../../api/resource-types.ts";
import { logsCommand } from "../resource/logs-command.ts";

export const backupLogs = logsCommand({ kind: "backup", type: veleroTypes.backup, target: "BackupLog" });
