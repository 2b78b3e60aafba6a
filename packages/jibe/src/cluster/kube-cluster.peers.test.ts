import { readFile } from "node:fs/promises";
import { type TestScope, testScope } from "@jibe/testkit";
import { type Kubernetes, startKubernetes } from "@jibe/testkit/peers";
import { afterAll, beforeAll } from "vitest";
import { verifyCluster } from "./verify-cluster.ts";

let scope: TestScope;
let kubernetes: Kubernetes;
beforeAll(async () => {
  scope = testScope();
  kubernetes = await startKubernetes({}, scope);
});
afterAll(async () => {
  await kubernetes[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

verifyCluster("a client of a real API server", () => readFile(kubernetes.kubeconfig, "utf8"));
