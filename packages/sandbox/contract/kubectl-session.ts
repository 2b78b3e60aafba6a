/** A command of an everyday session: its arguments and what it reads. */
export interface KubectlStep {
  readonly args: string;
  readonly stdin?: string;
}

const step = (args: string, stdin?: object): KubectlStep => ({
  args,
  ...(stdin ? { stdin: JSON.stringify(stdin) } : {}),
});

const configMap = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data });

const deployment = (image: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image, ports: [{ containerPort: 80 }] }] },
    },
  },
});

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.session.example.com" },
  spec: {
    group: "session.example.com",
    scope: "Namespaced",
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", shortNames: ["gd"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer", maximum: 9 } } },
              status: { type: "object" },
            },
          },
        },
      },
    ],
  },
};

const gadget = (size: number) => ({
  apiVersion: "session.example.com/v1",
  kind: "Gadget",
  metadata: { name: "g" },
  spec: { size },
});

/** What someone does in ten minutes with a cluster, in a namespace of their own. */
export const kubectlSession: readonly KubectlStep[] = [
  step("create namespace session"),
  step("get namespace session"),
  step("config set-context --current --namespace session"),
  step("create configmap one --from-literal=a=1 --from-literal=b=2"),
  step("get configmap one -o yaml"),
  step("get configmap one -o jsonpath={.data.a}"),
  step("describe configmap one"),
  step("apply -f -", configMap({ mode: "test" })),
  step("apply -f -", configMap({ mode: "live" })),
  step("apply -f -", configMap({ mode: "live" })),
  step("diff -f -", configMap({ mode: "other" })),
  step("get configmap settings -o json"),
  step("apply --server-side -f -", configMap({ mode: "server" })),
  step("apply --server-side --force-conflicts -f -", configMap({ mode: "server" })),
  step("label configmap settings team=blue"),
  step("label configmap settings team=red"),
  step("label configmap settings team=red --overwrite"),
  step("annotate configmap settings note=hello"),
  step("label configmap settings team-"),
  step("get configmaps -l team=blue"),
  step("get configmaps --show-labels"),
  step('patch configmap settings -p {"data":{"extra":"1"}}'),
  step('patch configmap settings --type=json -p [{"op":"remove","path":"/data/extra"}]'),
  step("create secret generic credentials --from-literal=password=secret"),
  step("get secrets"),
  step("describe secret credentials"),
  step("get secret absent"),
  step("apply -f -", deployment("nginx:1.25")),
  step("get deployments"),
  step("get deployment web -o wide"),
  step("set image deployment/web web=nginx:1.26"),
  step("scale deployment web --replicas=3"),
  step("get deployment web -o custom-columns=NAME:.metadata.name,WANT:.spec.replicas"),
  step("describe deployment web"),
  step("expose deployment web --port=80 --target-port=80"),
  step("get services"),
  step("describe service web"),
  step("create service nodeport entry --tcp=80:80"),
  step("get service entry -o jsonpath={.spec.type}"),
  step("run once --image=busybox:1 --restart=Never -- true"),
  step("get pods"),
  step("get pod once -o wide"),
  step("describe pod once"),
  step("delete pod once"),
  step("create serviceaccount robot"),
  step("create role reader --verb=get,list --resource=pods"),
  step("create rolebinding readers --role=reader --serviceaccount=session:robot"),
  step("get roles,rolebindings"),
  step("describe role reader"),
  step("auth can-i create deployments"),
  step("create job work --image=busybox:1 -- true"),
  step("get jobs"),
  step("create cronjob nightly --image=busybox:1 --schedule=0_0_*_*_* -- true"),
  step("get cronjobs"),
  step("create ingress site --rule=example.com/=web:80"),
  step("get ingress"),
  step("create -f -", crd),
  step("wait --for=condition=Established crd/gadgets.session.example.com --timeout=20s"),
  step("apply -f -", gadget(3)),
  step("get gadgets"),
  step("get gd g -o yaml"),
  step("apply -f -", gadget(99)),
  step('patch gadget g --type=merge -p {"spec":{"size":4}}'),
  step('patch gadget g --subresource=status --type=merge -p {"status":{}}'),
  step("explain gadget.spec"),
  step("delete gadget g"),
  step("create -f -", configMap({})),
  step("replace -f -", configMap({ replaced: "yes" })),
  step("get all"),
  step("get configmaps -o name"),
  step("delete configmap one settings"),
  step("delete deployment web"),
  step("delete crd gadgets.session.example.com"),
  step("api-resources --api-group=apps"),
  step("get nothing"),
  step("create namespace Bad_Name"),
  step("delete namespace session"),
];

/** Replaces what differs from run to run. */
export function normalizeOutput(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( \+0000)?Z?/g, "TIME")
    .replaceAll(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, "DATE")
    .replaceAll(/(resourceVersion"?: )"\d+"/g, '$1"RV"')
    .replaceAll(/10\.96\.\d+\.\d+/g, "ADDRESS")
    .replaceAll(/\b3[0-2]\d{3}\b/g, "PORT")
    .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+/g, "/tmp/$1")
    .replaceAll(/\b\d+m?\d*s\b/g, "AGE")
    .replace(/Context "\w+"/, "Context NAME")
    .replaceAll(/127\.0\.0\.1:\d+/g, "SERVER")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ca\.crt:\n----\n(.|\n)*?END CERTIFICATE-----\n/g, "ca.crt\n");
}
