import type { Cases } from "../contract-case.ts";
import { access } from "./access.ts";
import { builtInTypes } from "./built-in-types.ts";
import { crud } from "./crud.ts";
import { customDefinitions } from "./custom-definitions.ts";
import { customObjects } from "./custom-objects.ts";
import { customSchemas } from "./custom-schemas.ts";
import { deletion } from "./deletion.ts";
import { discovery } from "./discovery.ts";
import { listWatch } from "./list-watch.ts";
import { patches } from "./patch.ts";
import { subresources } from "./subresources.ts";
import { validation } from "./validation.ts";
import { workloadTypes } from "./workload-types.ts";

/** All areas of the contract. The fixtures of each are in a file of its name. */
export const areas: Readonly<Record<string, Cases>> = {
  discovery, // first: the definitions of other cases would show up in it
  crud,
  "workload-types": workloadTypes,
  "built-in-types": builtInTypes,
  subresources,
  patch: patches,
  "list-watch": listWatch,
  "custom-definitions": customDefinitions,
  "custom-objects": customObjects,
  "custom-schemas": customSchemas,
  deletion,
  validation,
  access,
};
