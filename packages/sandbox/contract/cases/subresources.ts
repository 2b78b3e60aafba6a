import type { Cases } from "../contract-case.ts";
import { apps, core, deployment, pod } from "./objects.ts";

/** What an object has besides its spec: generation, status, scale, binding and eviction. */
export const subresources: Cases = {
  "the generation counts changes of the spec": [
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    { send: `PUT ${apps}/deployments/a`, body: deployment("a", { replicas: 3 }) },
    { send: `PUT ${apps}/deployments/a`, body: deployment("a", { replicas: 3 }, { labels: { x: "y" } }) },
  ],
  "status is not taken on create or update": [
    { send: `POST ${apps}/deployments`, body: { ...deployment("a"), status: { replicas: 9 } } },
    { send: `PUT ${apps}/deployments/a`, body: { ...deployment("a"), status: { replicas: 9 } } },
    { send: `POST ${core}/pods`, body: { ...pod("a"), status: { phase: "Running" } } },
  ],
  "status has its own endpoint": [
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    {
      send: `PUT ${apps}/deployments/a/status`,
      body: {
        ...deployment("a", { replicas: 5 }, { labels: { l: "m" } }),
        status: { replicas: 2, observedGeneration: 1 },
      },
    },
    { send: `GET ${apps}/deployments/a/status` },
    { send: `POST ${core}/pods`, body: pod("a"), ignored: true },
    { send: `PATCH ${core}/pods/a/status`, as: "merge", body: { status: { phase: "Running", podIP: "10.1.0.1" } } },
  ],
  "scale has its own endpoint": [
    { send: `POST ${apps}/deployments`, body: deployment("a", { replicas: 2 }), ignored: true },
    { send: `GET ${apps}/deployments/a/scale` },
    {
      send: `PUT ${apps}/deployments/a/scale`,
      body: {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a", namespace: "ID" },
        spec: { replicas: 4 },
      },
    },
    { send: `PATCH ${apps}/deployments/a/scale`, as: "merge", body: { spec: { replicas: 1 } } },
    { send: `GET ${apps}/deployments/a` },
  ],
  "a pod is bound to a node": [
    { send: `POST ${core}/pods`, body: pod("a"), ignored: true },
    {
      send: `POST ${core}/pods/a/binding`,
      body: { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "n" } },
    },
    { send: `GET ${core}/pods/a` },
    {
      send: `POST ${core}/pods/a/binding`,
      body: { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "m" } },
    },
  ],
  "evicting a pod deletes it": [
    { send: `POST ${core}/pods`, body: pod("a"), ignored: true },
    {
      send: `POST ${core}/pods/a/eviction`,
      body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } },
    },
    { send: `GET ${core}/pods/a`, until: { code: 404 } },
  ],
};
