import type { Cases } from "../contract-case.ts";
import { access } from "./access.ts";
import { crud } from "./crud.ts";
import { custom } from "./custom.ts";
import { deletion } from "./deletion.ts";
import { discovery } from "./discovery.ts";
import { listWatch } from "./list-watch.ts";
import { patches } from "./patch.ts";
import { validation } from "./validation.ts";

/** All areas of the contract. The fixtures of each are in a file of its name. */
export const areas: Readonly<Record<string, Cases>> = {
  discovery, // first: the definitions of other cases would show up in it
  crud,
  patch: patches,
  "list-watch": listWatch,
  custom,
  deletion,
  validation,
  access,
};
