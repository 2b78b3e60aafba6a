import { join } from "node:path";
import { testScope } from "@jibe/testkit";
import { buildGoProgram } from "@jibe/testkit/peers";
import { verifyWaits } from "../../e2e/waiting/verify-waits.ts";

const plugins = join(import.meta.dirname, "../../../packages/testkit/go/velero-plugins");

verifyWaits("a Go plugin on Velero's own framework", () => buildGoProgram(plugins, testScope()));
