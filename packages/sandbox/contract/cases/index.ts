import type { Cases } from "../contract-case.ts";
import { crud } from "./crud.ts";

/** All areas of the contract. The fixtures of each are in a file of its name. */
export const areas: Readonly<Record<string, Cases>> = { crud };
