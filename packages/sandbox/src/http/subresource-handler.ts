import { badRequest, notDone } from "../api/api-error.ts";
import type { ApiContext, Target, WriteOptions } from "../api/context.ts";
import { findEntry } from "../api/create-object.ts";
import { evictPod } from "../api/evict-pod.ts";
import { bindPod } from "../api/pod-actions.ts";
import { patchScale, readScale, writeScale } from "../api/scale.ts";
import { requestToken } from "../api/token-request.ts";
import { type ApiRequest, type ApiResponse, json } from "./api-request.ts";
import { readObject, readPatch } from "./read-body.ts";

/** Subresources that are an object's other face; these alone are handled like the object. */
const likeObject: ReadonlySet<string> = new Set([
  "",
  "status",
  "ephemeralcontainers",
  "resize",
  "approval",
  "finalize",
]);

/** Subresources that need a connection of their own. */
const streams: ReadonlySet<string> = new Set(["exec", "attach", "portforward"]);

/** Answers a request for a subresource with a form of its own; undefined when it is like the object itself. */
export function handleSubresource(
  context: ApiContext,
  target: Target,
  request: ApiRequest & { readonly verb: string },
  options: WriteOptions,
): ApiResponse | undefined {
  const { subresource, type } = target;
  if (likeObject.has(subresource)) return undefined;
  const main = { ...target, subresource: "" };
  switch (`${type.plural}/${subresource}`) {
    case "pods/binding":
      return json(bindPod(context, target, readObject(context, request, "Binding"), options), 201);
    case "pods/eviction":
      return json(evictPod(context, target, readObject(context, request, "Eviction"), options), 201);
    case "serviceaccounts/token":
      return json(requestToken(context, findEntry(context, main), readObject(context, request, "TokenRequest")), 201);
    default:
      if (subresource === "scale") return scaleResponse(context, target, request, options);
      findEntry(context, main);
      if (streams.has(subresource)) throw badRequest("Upgrade request required");
      throw notDone(`${type.plural}/${subresource}`);
  }
}

function scaleResponse(
  context: ApiContext,
  target: Target,
  request: ApiRequest & { readonly verb: string },
  options: WriteOptions,
): ApiResponse {
  switch (request.verb) {
    case "get":
      return json(readScale(context, target));
    case "update":
      return json(writeScale(context, target, readObject(context, request, "Scale"), options));
    default: {
      const isJsonPatch = request.contentType.startsWith("application/json-patch+json");
      return json(patchScale(context, target, { isJsonPatch, patch: readPatch(request) }, options));
    }
  }
}
