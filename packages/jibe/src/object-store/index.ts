export { type ServeObjectsOptions, serveObjects } from "./filesystem/serve-objects.ts";
export { createUrlSigner, type SignedObject, type UrlSigner } from "./filesystem/url-signer.ts";
export { memoryStore } from "./memory/memory-store.ts";
export {
  builtInObjectStores,
  type ObjectStoreLocation,
  type ObjectStoreSources,
  type OpenObjectStore,
  openObjectStore,
} from "./open-object-store.ts";
