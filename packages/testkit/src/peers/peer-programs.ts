/** A program that is built from a Go module of `packages/testkit/go`. */
export interface PeerProgram {
  /** The folder of its go.mod. */
  readonly module: string;
  /** The package to build, as `go build` takes it. */
  readonly goPackage: string;
  /** Variables set by the linker: versions that the programs report. */
  readonly linkerVariables?: Readonly<Record<string, string>>;
  /** Text files of its source module that it needs when it runs; joined as YAML documents into one beside the program. */
  readonly assets?: { readonly ofModule: string; readonly files: readonly string[] };
}

const kubernetesVersion = {
  "k8s.io/component-base/version.gitVersion": "v1.36.3",
  "k8s.io/component-base/version.gitMajor": "1",
  "k8s.io/component-base/version.gitMinor": "36",
};

const kubernetes = (name: string): PeerProgram => ({
  module: "kubernetes",
  goPackage: `k8s.io/kubernetes/cmd/${name}`,
  linkerVariables: kubernetesVersion,
});

/** Every peer, in the order they are built: what most tests need comes first. */
export const peerPrograms = {
  etcd: { module: "etcd", goPackage: "." },
  "kube-apiserver": kubernetes("kube-apiserver"),
  kubectl: kubernetes("kubectl"),
  velero: {
    module: "velero",
    goPackage: "github.com/vmware-tanzu/velero/cmd/velero",
    linkerVariables: {
      "github.com/vmware-tanzu/velero/pkg/buildinfo.Version": "v1.18.3",
      // Velero leaves a second metrics server at its library's default, port 8080 of every interface; "0" is none.
      "sigs.k8s.io/controller-runtime/pkg/metrics/server.DefaultBindAddress": "0",
    },
  },
  "kube-controller-manager": kubernetes("kube-controller-manager"),
  "kube-scheduler": kubernetes("kube-scheduler"),
  kwok: {
    module: "kwok",
    goPackage: "sigs.k8s.io/kwok/cmd/kwok",
    assets: {
      ofModule: "sigs.k8s.io/kwok",
      files: [
        "kustomize/stage/node/fast/node-initialize.yaml",
        "kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
        "kustomize/stage/pod/fast/pod-ready.yaml",
        "kustomize/stage/pod/fast/pod-complete.yaml",
        "kustomize/stage/pod/fast/pod-delete.yaml",
      ],
    },
  },
  "velero-plugin-for-aws": {
    module: "velero-plugin-for-aws",
    goPackage: "github.com/vmware-tanzu/velero-plugin-for-aws/velero-plugin-for-aws",
  },
  versitygw: { module: "versitygw", goPackage: "github.com/versity/versitygw/cmd/versitygw" },
} as const satisfies Record<string, PeerProgram>;

export type PeerName = keyof typeof peerPrograms;
