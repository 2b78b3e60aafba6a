/** Flags of Velero's that our command line does not take, and why. A key without a command stands for every command. */
export const missingFlags: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "add_dir_header",
    "alsologtostderr",
    "alsologtostderrthreshold",
    "legacy_stderr_threshold_behavior",
    "log_backtrace_at",
    "log_dir",
    "log_file",
    "log_file_max_size",
    "logtostderr",
    "one_output",
    "skip_headers",
    "skip_log_headers",
    "stderrthreshold",
    "v",
    "vmodule",
  ].map((name) => [name, "sets Go's logging library, which nothing here uses"]),
);

/** Defaults that differ, and why. */
export const otherDefaults: Readonly<Record<string, string>> = {
  namespace: "unset here: the settings file, VELERO_NAMESPACE, then the same",
  "install garbage-collection-frequency": "unset here: the server's own default, which is the same",
  "install image": "another program",
  "install kubelet-root-dir": "there is no node agent",
  "install node-agent-pod-cpu-limit": "there is no node agent",
  "install node-agent-pod-cpu-request": "there is no node agent",
  "install node-agent-pod-mem-limit": "there is no node agent",
  "install node-agent-pod-mem-request": "there is no node agent",
  "install service-account-name": "Velero's empty name means the same",
  "install uploader-type": "there is no uploader",
  "install velero-pod-mem-request": "what Node needs",
  "server concurrent-backups": "backups of different namespaces do not wait for each other",
  "server garbage-collection-frequency": "Velero does not print the hour that it takes",
  "server item-block-worker-count": "items are worked on in parallel",
  "server item-operation-sync-frequency": "Velero does not print the ten seconds that it takes",
  "server max-concurrent-k8s-connections": "requests adapt to the API server below this bound",
  "server restore-resource-priorities": "unset here: the same list",
};
