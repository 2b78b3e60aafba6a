export { customResourceDefinitions } from "./definitions.ts";
