/** What an installation is to look like. */
export interface InstallOptions {
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** Images whose containers copy plugins into the server's plugin folder. */
  readonly plugins: readonly string[];
  readonly serverFlags: readonly string[];
  readonly features: readonly string[];
  readonly secretData?: string | undefined;
  readonly serviceAccountName: string;
  readonly serviceAccountAnnotations: Readonly<Record<string, string>>;
  readonly podAnnotations: Readonly<Record<string, string>>;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly priorityClassName: string;
  readonly clusterAdmin: boolean;
  readonly resources: {
    readonly cpuRequest: string;
    readonly memRequest: string;
    readonly cpuLimit: string;
    readonly memLimit: string;
  };
  readonly backupLocation?: {
    readonly provider: string;
    readonly bucket: string;
    readonly prefix: string;
    readonly config: Readonly<Record<string, string>>;
    readonly caCert?: string | undefined;
  };
  readonly snapshotLocation?: { readonly provider: string; readonly config: Readonly<Record<string, string>> };
}
