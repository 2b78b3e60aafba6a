/** A part of the page: the tests whose rows stand in it. The first area that takes a test has it. */
export interface Area {
  readonly title: string;
  readonly about: string;
  /** Test files, from the repository's root. */
  readonly files: RegExp;
  /** Only tests below this heading; all when absent. */
  readonly heading?: RegExp;
  /** What a passed test shows: two runs agree (unless said otherwise), or one does what it should. */
  readonly shows?: "works";
  /** Of the comparisons that come from data files, only those of these names. */
  readonly specs?: RegExp;
}

const either = /^tests\/peers\/differential\/(backups|restores)\./;
const backups = /^tests\/peers\/differential\/backups\./;
const restores = /^tests\/peers\/differential\/restores\./;
/** In each of the two files, the half that compares; the other half is about Velero alone. */
const compared = /^jibe /;

export const areas: readonly Area[] = [
  {
    title: "Requests that are refused",
    about: "Backups and restores that cannot be are refused by both servers, with the same words.",
    files: either,
    heading: compared,
    specs:
      /^(both-selectors|mixed-filters|contradicting-lists|invalid-.*|policy-(invalid|missing).*|included-and-labelled-out|not-restorable|two-sources|unknown-(backup|policy)|modifier-invalid)$/,
  },
  {
    title: "Hooks",
    about: "Commands before and after a backup, after a restore, and init containers; by annotation and by spec.",
    files: either,
    heading: compared,
    specs: /^hook/,
  },
  {
    title: "Volumes and snapshots",
    about: "Native snapshots by a plugin, volume policies, and what becomes of volumes and claims.",
    files: either,
    heading: compared,
    specs: /^(volume|snapshot|storage-class|claim|pv)/,
  },
  {
    title: "Plugins in a run",
    about: "Actions of both versions, additional items, waiting, and operations that go on after their call.",
    files: either,
    heading: compared,
    specs: /^(action|operation|wait|related|delete-action)/,
  },
  {
    title: "Whole applications",
    about: "Well-known kinds of applications, backed up and restored as they are: their objects as users write them.",
    files: either,
    heading: compared,
    specs: /^(app|moved)-/,
  },
  {
    title: "What a backup takes",
    about:
      "The same Backup made by both servers on one real API server: every stored file is compared, the archive item by item, and the final status.",
    files: backups,
    heading: compared,
  },
  {
    title: "Objects that exist, modifiers and status",
    about: "What a restore does about objects that are there already, and how it may change what it restores.",
    files: restores,
    heading: compared,
    specs: /^(existing|modifier|status)/,
  },
  {
    title: "What a restore brings back",
    about:
      "One backup, made by Velero, restored by both servers into clusters of their own: both clusters are compared object by object, and the results.",
    files: restores,
    heading: compared,
  },
  {
    title: "Schedules, deletion, expiry, sync and locations",
    about:
      "Both servers are taken through the same steps, each on an API server of its own; the resources and the names of the stored files that are left are compared.",
    files: /^tests\/peers\/differential\/scenarios\./,
    heading: compared,
  },
  {
    title: "Backups of one server restored by the other",
    about:
      "An application is backed up by one server and restored by the other; the restored objects are compared with the original.",
    files: /^tests\/peers\/differential\/either-way\./,
    heading: /^a backup of one server/,
  },
  {
    title: "Velero's command line on jibe's server",
    about: "The real `velero` program; what it prints is compared with what `jibe` prints, line by line.",
    files: /^tests\/peers\/product\/velero-(cli|flags)\./,
  },
  {
    title: "jibe's command line, installing and switching",
    about:
      "`jibe` on a real Velero server, a cluster that is switched from Velero to jibe and back, and an installation with the least rights.",
    files: /^tests\/peers\/product\//,
    shows: "works",
  },
  {
    title: "Go plugins under jibe",
    about: "Plugins built on Velero's own framework run unchanged; so does Velero's plugin for AWS.",
    files: /^packages\/jibe\/src\/(plugin-host|object-store\/plugin)\//,
    shows: "works",
  },
  {
    title: "jibe's plugins under Velero",
    about:
      "Plugins written with jibe's SDK run under a real Velero server; `jibe plugin verify` judges plugins as Velero would.",
    files: /^(examples|packages\/plugin-sdk)\//,
    shows: "works",
  },
  {
    title: "How plugins and server talk",
    about: "HashiCorp's go-plugin protocol with Go on the other side, in both directions.",
    files: /^packages\/go-plugin\//,
    shows: "works",
  },
  {
    title: "Stores, archive and resource definitions",
    about: "S3 against a real server, the archive as Go reads it, and the custom resource definitions beside Velero's.",
    files: /^packages\/(jibe\/src\/(object-store\/s3|crds)|engine\/src\/archive)\/[^:]*\.peers\./,
    shows: "works",
  },
];
