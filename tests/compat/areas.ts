/** Which tests with real peers show compatibility, and in which area their rows stand. */
export interface Area {
  readonly title: string;
  readonly about: string;
  /** Test files, from the repository's root. */
  readonly files: RegExp;
  /** Only tests below this heading; all when absent. */
  readonly heading?: RegExp;
}

export const areas: readonly Area[] = [
  {
    title: "Backups",
    about:
      "The same Backup run by Velero and by jibe on one real API server: archive, resource list, results, volume info and status compared.",
    files: /^tests\/peers\/differential\/backups/,
    heading: /jibe makes the same backup/,
  },
  {
    title: "Restores",
    about:
      "The same backup restored by Velero into one cluster and by jibe into another: cluster contents, results and resource lists compared.",
    files: /^tests\/peers\/differential\/restores/,
    heading: /jibe/,
  },
  {
    title: "Go plugins under jibe",
    about: "Plugins built on Velero's own framework run unchanged under jibe's host.",
    files: /^packages\/jibe\/src\/(plugin-host|object-store\/plugin)\//,
  },
  {
    title: "jibe plugins under Velero",
    about: "Plugins built on jibe's SDK run under a real Velero server.",
    files: /^(examples|packages\/plugin-sdk)\//,
  },
  {
    title: "The plugin wire",
    about: "go-plugin against Go programs, in both directions.",
    files: /^packages\/go-plugin\//,
  },
  {
    title: "Command lines",
    about: "Velero's command line on jibe's server, and jibe's on Velero's.",
    files: /^tests\/peers\/product\//,
  },
  {
    title: "Stores, archive and definitions",
    about: "S3, the archive read by Go, and the resource definitions.",
    files: /^packages\/(jibe\/src\/(object-store\/s3|crds|cluster)|engine\/src\/archive)\//,
  },
];
