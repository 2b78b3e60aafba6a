import { type SessionStep, step } from "./session-step.ts";

const editing = (script: string, args: string): SessionStep => ({ args, env: { KUBE_EDITOR: `sed -i ${script}` } });

const configMap = (name: string, data: object) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { set: "pruned" } },
  data,
});

const workload = (kind: string, name: string, more: object = {}) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "image:1" }] } },
    ...more,
  },
});

const certificateRequest = (request: string) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "session" },
  spec: { request, signerName: "example.com/session", usages: ["digital signature"] },
});

// A request for the name "jane" whose key nobody has.
const wellFormedRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIS01IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQk10K20yam1jQ3dRYzVmdGlLM2JMR0g4YmF1NU9QYU1DMDcwNW9QeGRzTXpEa2xJUlJlUzFiRUxiNkl5CmJBaDJJcTg5UlNSdUxmVjA0R2wyUGkzOG1NbWdBREFLQmdncWhrak9QUVFEQWdOSkFEQkdBaUVBeGRBM2FjNjQKWGpVdVlsTmhPQkZEZ2phV2lUYmxudElTb2FDZVI5MFgyZndDSVFEZ0puYjFudG14dTlVSk1vZ2s4emhoRkJpUQpOSHgwaWp0cExkT3lMMG0zaUE9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

const volume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "session" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    hostPath: { path: "/tmp/session" },
    storageClassName: "none",
  },
};

const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "waiting" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "absent" },
};

/** Deployments and their history. */
const rollouts: readonly SessionStep[] = [
  step("create deployment web --image=nginx:1.25 --replicas=2 --port=80"),
  step("rollout status deployment/web --timeout=60s"),
  step("get pods -l app=web"),
  step("expose deployment web --port=80 --target-port=8080 --name=entry --type=NodePort"),
  step("wait endpointslices -l kubernetes.io/service-name=entry --for=jsonpath={.ports[0].port}=8080 --timeout=30s"),
  step("get endpoints entry"),
  step("create pdb guard --selector=app=web --min-available=1"),
  step("wait pdb/guard --for=jsonpath={.status.disruptionsAllowed}=1 --timeout=60s"),
  step("get pdb"),
  step("describe pdb guard"),
  step("autoscale deployment web --min=1 --max=5 --cpu=80%"),
  step("set image deployment/web nginx=nginx:1.26"),
  step("set env deployment/web A=b C=d"),
  step("set env deployment/web --list"),
  step("set resources deployment web -c=nginx --limits=cpu=200m,memory=512Mi --requests=cpu=100m"),
  step("set serviceaccount deployment web default"),
  step("set selector service entry app=other"),
  step("rollout status deployment/web --timeout=60s"),
  step("rollout history deployment/web --revision=2"),
  step("annotate deployment/web kubernetes.io/change-cause=measured"),
  step("rollout undo deployment/web"),
  step("rollout status deployment/web --timeout=60s"),
  step("rollout history deployment/web"),
  step("rollout pause deployment/web"),
  step("rollout pause deployment/web"),
  step("rollout resume deployment/web"),
  step("rollout restart deployment/web"),
  step("rollout status deployment/web --timeout=60s"),
  step("get deployment web -o wide"),
  step("describe deployment web"),
  step("scale deployment web --replicas=3 --current-replicas=9"),
  step("scale --replicas=1 deployment/web deployment/none"),
  step("delete deployment web --cascade=orphan"),
  step("delete replicasets -l app=web"),
];

/** One pod: run, change, look, end. */
const onePod: readonly SessionStep[] = [
  step("run once --image=busybox:1 --restart=Never --labels=a=b,c=d --env=X=1 --port=80 -- sleep 1000"),
  step("wait --for=condition=Ready pod/once --timeout=60s"),
  step("label pod once a=z"),
  step("label pods --all tier=front"),
  step("annotate pod once x=y"),
  step(`patch pod once -p '{"spec":{"containers":[{"name":"once","image":"busybox:2"}]}}'`),
  step(`patch pod once --type=json -p '[{"op":"test","path":"/spec/absent","value":"x"}]'`),
  step("get pods --field-selector=status.phase=Running -o name"),
  step("get pods --field-selector=bogus=1"),
  step("exec once -- echo hello"),
  step("top pods"),
  step("top nodes"),
  step("delete pod once --now"),
  step("delete pod once --ignore-not-found"),
];

/** The other kinds that run something. */
const otherWorkloads: readonly SessionStep[] = [
  step("apply -f -", workload("StatefulSet", "db", { serviceName: "db", replicas: 2 })),
  step("rollout status statefulset/db --timeout=60s"),
  step("get statefulset db -o wide"),
  step("get pods -l app=db"),
  step("delete statefulset db --cascade=orphan"),
  step("delete pods -l app=db"),
  step("apply -f -", workload("DaemonSet", "agent")),
  step("rollout status daemonset/agent --timeout=60s"),
  step("get daemonset agent -o wide"),
  step("rollout history daemonset/agent"),
  step("delete daemonset agent --cascade=foreground"),
  step("create job one --image=busybox:1 -- true"),
  step("wait --for=condition=complete job/one --timeout=60s"),
  step("get job one"),
  step("create cronjob often --image=busybox:1 --schedule='*/5 * * * *' -- true"),
  step("create job from-often --from=cronjob/often"),
  step(`patch cronjob often -p '{"spec":{"suspend":true}}'`),
  step("get cronjobs -o wide"),
];

/** Applying, editing, choosing and showing. */
const objects: readonly SessionStep[] = [
  step("apply --server-side --field-manager=one -f -", configMap("owned", { a: "1", b: "2" })),
  step("apply --server-side --field-manager=two -f -", configMap("owned", { a: "9" })),
  step("apply --server-side --field-manager=two --force-conflicts -f -", configMap("owned", { a: "9" })),
  step("get configmap owned -o yaml --show-managed-fields"),
  step("apply -f -", { apiVersion: "v1", kind: "List", items: [configMap("first", {}), configMap("second", {})] }),
  step("apply --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap -f -", configMap("first", {})),
  step("replace --force -f -", configMap("first", { x: "y" })),
  editing("s/x:.y/x:.edited/", "edit configmap first"),
  editing("s/absent/edited/", "edit configmap first"),
  step("get configmaps --sort-by=.metadata.name -o name"),
  step("get configmaps -o custom-columns=N:.metadata.name,X:.data.x"),
  step("get configmaps -o go-template='{{range .items}}{{.metadata.name}} {{end}}'"),
  step("get configmaps --chunk-size=1 -L set"),
  step("get configmaps,secrets,serviceaccounts"),
  step("get --raw /readyz"),
  step("create secret docker-registry pull --docker-server=r.example.com --docker-username=u --docker-password=p"),
  step("create priorityclass session --value=1000 --description=high"),
  step("describe priorityclass session"),
  step("create clusterrole session --verb=get,list --resource=pods,deployments.apps"),
  step("create clusterrolebinding session --clusterrole=session --user=jane --group=team"),
  step("describe clusterrolebinding session"),
  step("create ingress site --class=nginx --rule=example.com/a=web:80,tls=cert --default-backend=web:http"),
  step("describe ingress site"),
  step("create -f -", certificateRequest(Buffer.from("no request").toString("base64"))),
  step("create -f -", certificateRequest(wellFormedRequest)),
  step("get csr"),
  step("certificate approve session"),
  step("get csr"),
  step("apply -f -", volume),
  step("wait --for=jsonpath={.status.phase}=Available pv/session --timeout=60s"),
  step("describe pv session"),
  step("apply -f -", claim),
  step("wait --for=jsonpath={.status.phase}=Bound pvc/waiting --timeout=1s"),
  step("get pvc"),
];

/** Who may do what, and what there is. */
const cluster: readonly SessionStep[] = [
  step("auth can-i --list"),
  step("auth whoami"),
  step("create token absent"),
  step("api-resources --namespaced=false -o name --sort-by=name"),
  step("api-resources -o wide --sort-by=kind"),
  step("api-versions"),
  step("cluster-info"),
  step("taint nodes --all key=value:NoSchedule"),
  step("taint nodes --all key=value:NoSchedule-"),
  step("explain nothing"),
  step("explain pod.bogus"),
  step("create -f -", { apiVersion: "v1", kind: "Pod", metadata: { name: "empty" }, spec: {} }),
  step("create -f -", { apiVersion: "absent.example.com/v1", kind: "Nothing", metadata: { name: "x" } }),
  step("create service externalname outside --external-name=example.com"),
  step("create service clusterip headless --clusterip=None"),
  step("create service loadbalancer balanced --tcp=5678:8080"),
  step("get services"),
  step("delete services --all"),
  step("delete jobs,cronjobs,hpa --all"),
  step("delete pv/session priorityclass/session clusterrole/session clusterrolebinding/session csr/session"),
  step("delete namespace session"),
  step("get namespace session"),
];

/** What someone does in ten minutes with a cluster in which things run. */
export const workloadsSession: readonly SessionStep[] = [
  step("create namespace session"),
  step("config set-context --current --namespace session"),
  ...rollouts,
  ...onePod,
  ...otherWorkloads,
  ...objects,
  ...cluster,
];
