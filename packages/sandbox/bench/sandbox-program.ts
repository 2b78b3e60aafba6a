/** A process that runs a sandbox in memory and tells its parent where; it ends with the parent. */
import { startSandbox } from "../src/index.ts";

const { url, token, caCert } = await startSandbox();
process.on("disconnect", () => process.exit());
process.send?.({ url, token, caCert });
