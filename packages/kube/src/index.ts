export type { AccessOptions } from "./auth/cluster-access.ts";
export type { Impersonation } from "./auth/impersonation.ts";
export { loadYaml } from "./auth/load-yaml.ts";
export type { Env } from "./auth/proxy.ts";
export { KubeClient, type ServerVersion } from "./client.ts";
export type * from "./client-options.ts";
export { connectCluster } from "./connect-cluster.ts";
export { type ApiGroup, Discovery, type DiscoveryFailure, type ResourceType } from "./discovery/discover.ts";
export type { ExecOptions } from "./exec/exec-in-container.ts";
export type { ExecResult } from "./exec/exec-result.ts";
export {
  type ChangeHandler,
  type Informer,
  type InformerOptions,
  type ObjectChange,
  startInformer,
} from "./informer/informer.ts";
export * from "./kube-object.ts";
export { type LeaseOptions, runWithLease } from "./lease/run-with-lease.ts";
export type { ListPage } from "./list/list-pages.ts";
export type { RawItem } from "./list/raw-item.ts";
export { splitList } from "./list/split-list.ts";
export { type ProcessOptions, processQueue, type WorkResult } from "./queue/process-queue.ts";
export { WorkQueue, type WorkQueueOptions } from "./queue/work-queue.ts";
export { isExpired, type KubeStatus, type StatusCause, statusOf } from "./status-error.ts";
export type { WatchEvent, WatchEventType, WatchOptions } from "./watch/watch-resource.ts";
