export { type LocalVolumes, openLocalVolumes } from "./open-local-volumes.ts";
