import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { Scope } from "@jibe/base";

export interface HttpCall {
  readonly url: string;
  readonly method?: string;
  readonly body?: string;
  readonly token?: string;
  readonly caCert?: string;
}

/** One HTTP call on a connection of its own, for readiness and for what a peer offers over plain HTTP. */
export async function httpCall(call: HttpCall, scope: Scope): Promise<{ status: number; body: string }> {
  const { url, method = "GET", body, token, caCert } = call;
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  const request = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false, signal: scope.signal, ca: caCert }, (response) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, body: content }), reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
