import { type ScriptedServer, sendJson, sendStatus, startServer } from "./scripted-server.ts";

interface Stored {
  metadata: { name: string; resourceVersion?: string };
}

/** The smallest true server of one collection: create, get, update with conflicts. `fail` makes every answer a 503. */
export interface ObjectServer extends ScriptedServer {
  readonly objects: ReadonlyMap<string, Stored>;
  fail: boolean;
}

export async function startObjectServer(): Promise<ObjectServer> {
  const objects = new Map<string, Stored>();
  const state = { fail: false };
  let version = 0;
  const store = (object: Stored) => {
    version++;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    objects.set(stored.metadata.name, stored);
    return stored;
  };
  const server = await startServer(({ method, url, body }, response) => {
    if (state.fail) return sendStatus(response, 503, "ServiceUnavailable");
    const sent = body === "" ? undefined : (JSON.parse(body) as Stored);
    const name = sent?.metadata.name ?? url.split("/").at(-1) ?? "";
    const known = objects.get(name);
    if (method === "POST" && sent) {
      return known ? sendStatus(response, 409, "AlreadyExists") : sendJson(response, 201, store(sent));
    }
    if (!known) return sendStatus(response, 404, "NotFound");
    if (method === "GET" || !sent) return sendJson(response, 200, known);
    const isOutdated = sent.metadata.resourceVersion !== known.metadata.resourceVersion;
    return isOutdated ? sendStatus(response, 409, "Conflict") : sendJson(response, 200, store(sent));
  });
  return Object.assign(state, server, { objects });
}
