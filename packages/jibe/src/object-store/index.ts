export { type ServeObjectsOptions, serveObjects } from "./filesystem/serve-objects.ts";
export { createUrlSigner, type SignedObject, type UrlSigner } from "./filesystem/url-signer.ts";
export {
  type ObjectStoreLocation,
  type ObjectStoreSources,
  type OpenObjectStore,
  openObjectStore,
} from "./open-object-store.ts";
