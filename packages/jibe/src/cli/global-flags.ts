import { flag } from "./flags.ts";

/** Flags that every command takes. */
export const globalFlags = {
  kubeconfig: flag.string("Path of the kubeconfig file (default: KUBECONFIG, then ~/.kube/config)", "", {
    placeholder: "path",
  }),
  kubecontext: flag.string("Context of the kubeconfig to use"),
  namespace: flag.string("Namespace the server runs in (default: config file, VELERO_NAMESPACE, then velero)", "", {
    short: "n",
  }),
  features: flag.list("Feature names to enable, such as EnableCSI"),
  colorized: flag.optionalBoolean("Show colours (default: on a terminal, unless NO_COLOR is set)"),
  clientLogLevel: flag.choice(
    "How much the client says about its own work on standard error",
    ["error", "warn", "info", "debug"],
    "warn",
    {
      hidden: true,
    },
  ),
  help: flag.boolean("Show help", false, { short: "h" }),
} as const;
