import { readFile } from "node:fs/promises";
import { AppError, hasCode, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { ClusterAccess } from "../cluster-access.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { type CliWorld, command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { type FlagValues, flag } from "../flags.ts";
import { printObjects } from "../print/objects.ts";
import { serverNamespace } from "../settings.ts";
import { clientVersion } from "../version/client-version.ts";
import type { InstallOptions } from "./install-options.ts";
import { installManifests } from "./manifests.ts";
import { notesOnVeleroOnly, passedOn, passedOnFlags, veleroOnlyFlags } from "./velero-flags.ts";

const installFlags = {
  provider: flag.string("Provider of backup and snapshot storage, such as aws"),
  bucket: flag.string("Bucket that holds the backups"),
  prefix: flag.string("Prefix of all keys in the bucket"),
  plugins: flag.list("Images of plugins"),
  image: flag.string("Image of the server", `jibe:${clientVersion}`),
  secretFile: flag.string("File with the credentials of the provider", "", { placeholder: "path" }),
  noSecret: flag.boolean("Use no credentials, for instance because pods have a cloud identity"),
  noDefaultBackupLocation: flag.boolean("Create no backup storage location"),
  backupLocationConfig: flag.map("Settings of the backup storage location"),
  snapshotLocationConfig: flag.map("Settings of the volume snapshot location"),
  useVolumeSnapshots: flag.boolean("Create a volume snapshot location", true),
  serviceAccountName: flag.string("Service account of the server", "velero"),
  saAnnotations: flag.map("Annotations of the service account"),
  podAnnotations: flag.map("Annotations of the server's pods"),
  podLabels: flag.map("Labels of the server's pods"),
  veleroPodCpuRequest: flag.string("CPU request of the server", "500m"),
  veleroPodMemRequest: flag.string("Memory request of the server", "256Mi"),
  veleroPodCpuLimit: flag.string("CPU limit of the server", "1000m"),
  veleroPodMemLimit: flag.string("Memory limit of the server", "512Mi"),
  serverPriorityClassName: flag.string("Priority class of the server's pods"),
  replicas: flag.integer("How many servers; one works, the others stand by", 2),
  clusterAdmin: flag.boolean("Bind the server to cluster-admin instead of the least rights that work"),
  serverFlags: flag.repeated("A flag for the server, such as --default-backup-ttl=240h; may be repeated"),
  ...passedOnFlags,
  ...veleroOnlyFlags,
  cacert: flag.string("File with the certificates of the store", "", { placeholder: "path" }),
  crdsOnly: flag.boolean("Only install the resource definitions"),
  dryRun: flag.boolean("Print what would be created instead of creating it"),
  output: flag.choice("How to print", ["", "json", "yaml"], "", { short: "o" }),
  wait: flag.boolean("Wait until the server is ready"),
} as const;

const mostAttempts = 150;

export const install = command({
  usage: "install",
  summary: "Install the server in a cluster",
  examples: [
    "jibe install --provider aws --bucket backups --secret-file ./credentials --backup-location-config region=eu-west-1",
    "jibe install --crds-only",
    "jibe install --provider aws --bucket backups --no-secret --dry-run -o yaml",
  ],
  flags: installFlags,
  async run({ flags, given }, world, scope) {
    const options = await optionsFrom(flags, given, await serverNamespace(flags.namespace, world.env));
    for (const note of notesOnVeleroOnly(given)) world.out.note(note);
    const all = installManifests(options);
    const objects = flags.crdsOnly ? all.filter(({ kind }) => kind === "CustomResourceDefinition") : all;
    if (flags.output !== "" || flags.dryRun) {
      await printObjects(objects, flags.output || "yaml", { listKind: "List", out: world.out });
      if (flags.dryRun) return exitCode.ok;
    }
    await using access = await openClusterAccess(flags, world, scope);
    for (const object of objects) world.out.line(await apply(object, access, { world }, scope));
    if (flags.crdsOnly) {
      world.out.line("The resource definitions are installed.");
      return exitCode.ok;
    }
    world.out.line(
      `jibe is installed. Use 'kubectl logs deployment/velero -n ${options.namespace}' to view the server's log.`,
    );
    if (flags.wait) await untilReady(options.namespace, access, world, scope);
    return exitCode.ok;
  },
});

type GivenFlags = FlagValues<typeof installFlags> & { readonly features: readonly string[] };

async function optionsFrom(flags: GivenFlags, given: ReadonlySet<string>, namespace: string): Promise<InstallOptions> {
  if (!flags.crdsOnly) checkFlags(flags);
  const secretData = flags.secretFile ? (await readFile(flags.secretFile)).toString("base64") : undefined;
  const caCert = flags.cacert ? (await readFile(flags.cacert)).toString("base64") : undefined;
  const { provider, bucket, prefix } = flags;
  return {
    namespace,
    image: flags.image,
    replicas: flags.replicas,
    plugins: flags.plugins,
    serverFlags: [...passedOn(flags, given), ...flags.serverFlags],
    features: flags.features,
    secretData,
    serviceAccountName: flags.serviceAccountName,
    serviceAccountAnnotations: flags.saAnnotations,
    podAnnotations: flags.podAnnotations,
    podLabels: flags.podLabels,
    priorityClassName: flags.serverPriorityClassName,
    clusterAdmin: flags.clusterAdmin,
    resources: {
      cpuRequest: flags.veleroPodCpuRequest,
      memRequest: flags.veleroPodMemRequest,
      cpuLimit: flags.veleroPodCpuLimit,
      memLimit: flags.veleroPodMemLimit,
    },
    ...(flags.noDefaultBackupLocation
      ? {}
      : { backupLocation: { provider, bucket, prefix, config: flags.backupLocationConfig, caCert } }),
    ...(flags.useVolumeSnapshots && provider
      ? { snapshotLocation: { provider, config: flags.snapshotLocationConfig } }
      : {}),
  };
}

function checkFlags(flags: FlagValues<typeof installFlags>): void {
  const missing: string[] = [];
  if (!flags.noDefaultBackupLocation) {
    if (flags.provider === "") missing.push("--provider");
    if (flags.bucket === "") missing.push("--bucket");
  }
  if (missing.length > 0)
    throw new AppError("InvalidArgument", `${missing.join(" and ")} must be given (or --no-default-backup-location)`);
  if (flags.secretFile !== "" && flags.noSecret)
    throw new AppError("InvalidArgument", "use either --secret-file or --no-secret, not both");
  const needsSecret = !flags.noDefaultBackupLocation && !flags.provider.startsWith("jibe.io/");
  if (needsSecret && flags.secretFile === "" && !flags.noSecret) {
    throw new AppError("InvalidArgument", "one of --secret-file and --no-secret must be given");
  }
}

/** Makes an object, or brings one that exists to the same state. */
async function apply(
  object: KubernetesObject,
  access: ClusterAccess,
  { world, attempt = 1 }: { readonly world: CliWorld; readonly attempt?: number },
  scope: Scope,
): Promise<string> {
  const { client, namespace } = access;
  const types = await client.discover(scope);
  const [group = "", version = ""] = object.apiVersion.includes("/")
    ? object.apiVersion.split("/")
    : ["", object.apiVersion];
  const type = types.resources.find(
    (one) => one.group === group && one.version === version && one.kind === object.kind,
  );
  if (!type) {
    // A definition made just now takes a moment to be served.
    if (attempt >= mostAttempts)
      throw new AppError("Unavailable", `the cluster does not serve ${object.kind} (${object.apiVersion}); try again`);
    await world.clock.sleep(200, scope);
    return apply(object, access, { world, attempt: attempt + 1 }, scope);
  }
  const { name } = object.metadata;
  const place = type.namespaced ? { namespace: object.metadata.namespace ?? namespace } : {};
  const label = `${object.kind}/${name}`;
  try {
    await access.explained({ verb: "create", type, ...place }, client.create(type, { ...place, object }, scope));
    return `${label}: created`;
  } catch (error) {
    if (!hasCode(error, "AlreadyExists")) throw error;
    const change = { ...place, name, patch: object, contentType: "apply", fieldManager: "jibe", force: true } as const;
    await access.explained({ verb: "patch", type, ...place }, client.patch(type, change, scope));
    return `${label}: already exists, updated`;
  }
}

async function untilReady(
  namespace: string,
  { client }: ClusterAccess,
  { clock, out }: CliWorld,
  scope: Scope,
): Promise<void> {
  const deployments = { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", namespaced: true };
  out.line("Waiting for the server to be ready.");
  while (true) {
    const found = (await client.get(deployments, { namespace, name: "velero" }, scope)) as {
      status?: { readyReplicas?: number };
    };
    if ((found.status?.readyReplicas ?? 0) > 0) return;
    await clock.sleep(1000, scope);
  }
}
