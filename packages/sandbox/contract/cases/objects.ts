/** Paths and small objects that many cases share. */
export const core = "/api/v1/namespaces/ID";
export const apps = "/apis/apps/v1/namespaces/ID";

export const meta = (name: string, more: object = {}) => ({ name, ...more });

export const configMap = (name: string, data: object = { a: "1" }, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: meta(name, more),
  data,
});

export const secret = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: meta(name),
  data: { password: "c2VjcmV0" },
  ...more,
});

export const container = (name: string, more: object = {}) => ({ name, image: `${name}:1.0`, ...more });

export const pod = (name: string, spec: object = {}, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: meta(name, more),
  spec: { containers: [container("main")], ...spec },
});

export const template = (labels: object, spec: object = {}) => ({
  metadata: { labels },
  spec: { containers: [container("main")], ...spec },
});

export const deployment = (name: string, spec: object = {}, more: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: meta(name, more),
  spec: { selector: { matchLabels: { app: name } }, template: template({ app: name }), ...spec },
});

export const service = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: meta(name),
  spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
});

export const claim = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: meta(name),
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});

export const volume = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: meta(name),
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" }, ...spec },
});
