import { type Sandbox, startSandbox } from "@jibe/sandbox";
import { afterAll, beforeAll } from "vitest";
import { verifyCluster } from "./verify-cluster.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

verifyCluster("a client of the sandbox", async () => sandbox.kubeconfig());
