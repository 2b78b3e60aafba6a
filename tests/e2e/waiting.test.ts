import { join } from "node:path";
import { verifyWaits } from "./waiting/verify-waits.ts";

verifyWaits("a TypeScript plugin", async () => join(import.meta.dirname, "waiting/waiting-plugin.ts"));
