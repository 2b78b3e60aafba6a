import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, get } from "node:https";
import { expect, test } from "vitest";
import { loopbackCertificate } from "./loopback-certificate.ts";

test("a client that trusts the certificate talks to a server that has it", async () => {
  const { cert, key } = loopbackCertificate("peers");
  const server = createServer({ cert, key }, (_, response) => response.end("hello")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const [response] = await once(get({ port, host: "127.0.0.1", ca: cert, agent: false }), "response");
  expect(response.statusCode).toBe(200);
  response.resume();
  server.close();
  await once(server, "close");
});

test("the certificate names localhost and is its own authority", () => {
  const { cert } = loopbackCertificate("peers");
  const parsed = new X509Certificate(cert);
  expect(parsed.checkHost("localhost")).toBe("localhost");
  expect(parsed.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(parsed.ca).toBe(true);
  expect(parsed.verify(parsed.publicKey)).toBe(true);
});
