import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { loopbackCertificate } from "@jibe/testkit/peers";

/** What the webhook says of an object: yes, no, or nothing at all. */
export type GuardAnswer = "allow" | "deny" | "hang";

export interface GuardWebhook extends AsyncDisposable {
  /** Lets the API server ask for each ConfigMap that is made in the namespace. */
  configurationFor(namespace: string): object;
}

/** A validating webhook on this machine. `answer` is asked with the name of each object. */
export async function startGuardWebhook(answer: (name: string) => GuardAnswer): Promise<GuardWebhook> {
  const { key, cert } = loopbackCertificate("guard");
  const server = createServer({ key, cert }, (request, response) => void review(request, response, answer));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    configurationFor: (namespace) => ({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: `guard-${namespace}` },
      webhooks: [
        {
          name: "guard.example.io",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          failurePolicy: "Fail",
          timeoutSeconds: 3,
          clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(cert).toString("base64") },
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        },
      ],
    }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function review(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (name: string) => GuardAnswer,
): Promise<void> {
  const asked = JSON.parse(await text(request)) as { request: { uid: string; name: string } };
  const { uid, name } = asked.request;
  const said = answer(name);
  if (said === "hang") return;
  const status = { code: 403, message: "it looks suspicious" };
  const verdict = said === "allow" ? { uid, allowed: true } : { uid, allowed: false, status };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: verdict }));
}
