export { type BuiltInActions, type BuiltInActionsOptions, builtInActions } from "./built-in-actions.ts";
export {
  inProcessBackupAction,
  inProcessBlockAction,
  inProcessDeleteAction,
  inProcessRestoreAction,
} from "./in-process-action.ts";
