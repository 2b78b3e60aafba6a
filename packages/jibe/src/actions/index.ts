export { type BuiltInActions, type BuiltInActionsOptions, builtInActions } from "./built-in-actions.ts";
