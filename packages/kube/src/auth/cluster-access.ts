import { readFile } from "node:fs/promises";
import { AppError, type Clock, type Scope, Secret, systemClock } from "@jibe/base";
import {
  basic,
  bearer,
  type ClientCertificate,
  type Credentials,
  fixedCredentials,
  tokenFileCredentials,
} from "./credentials.ts";
import { execPluginCredentials, execPluginFrom } from "./exec-plugin.ts";
import { type Impersonation, impersonationFrom } from "./impersonation.ts";
import { inClusterAccess, isInCluster } from "./in-cluster.ts";
import { isEntry, type Kubeconfig, kubeconfigPaths, loadKubeconfig } from "./kubeconfig.ts";
import { type Env, proxyFromEnv } from "./proxy.ts";

/** How to find a cluster. With nothing set: KUBECONFIG, then the file in the home directory, then the pod we run in. */
export interface AccessOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly inCluster?: boolean | undefined;
  readonly env: Env;
  readonly impersonate?: Impersonation | undefined;
  /** Whether a person at a terminal can answer a credential plugin. */
  readonly interactive?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

/** Where a cluster is, how to trust it and who we are to it. */
export interface ClusterAccess {
  readonly server: URL;
  readonly ca?: string;
  readonly tlsServerName?: string;
  readonly skipTlsVerify: boolean;
  readonly proxy?: string;
  readonly credentials: Credentials;
  readonly impersonate?: Impersonation;
  /** The namespace meant when none is named. */
  readonly namespace: string;
  /** The context, or `in-cluster`: for people. */
  readonly name: string;
}

type Entry = Readonly<Record<string, unknown>>;

/** Finds the cluster the options mean, or says what is missing and where it was looked for. */
export async function resolveAccess(options: AccessOptions, scope: Scope): Promise<ClusterAccess> {
  const { env, clock = systemClock } = options;
  const inPod = () => inClusterAccess({ env, clock, impersonate: options.impersonate });
  if (options.inCluster) return inPod();
  const paths = kubeconfigPaths(options.kubeconfig, env);
  const config = await loadKubeconfig(paths, scope);
  if (config) return accessFrom(config, options, clock);
  const isNamed = Boolean(options.kubeconfig || env["KUBECONFIG"] || options.context);
  if (!isNamed && isInCluster(env)) return inPod();
  const where = paths.map((path) => JSON.stringify(path)).join(", ") || "HOME is not set";
  throw new AppError(
    "InvalidArgument",
    `no Kubernetes configuration found (${where}): set KUBECONFIG or name a kubeconfig file`,
  );
}

async function accessFrom(config: Kubeconfig, options: AccessOptions, clock: Clock): Promise<ClusterAccess> {
  const { name, cluster, clusterName, user, userName, namespace } = selectContext(config, options.context);
  const server = serverUrl(cluster, clusterName);
  const ca = await contentOf(cluster, "certificate-authority", `cluster ${quote(clusterName)}`);
  const proxy = text(cluster, "proxy-url") || proxyFromEnv(server, options.env);
  const tlsServerName = text(cluster, "tls-server-name");
  const impersonate = options.impersonate ?? impersonationFrom(user);
  const credentials = await credentialsFrom({ user, userName, cluster, ca }, { ...options, clock });
  return {
    server,
    ...(ca ? { ca } : {}),
    ...(tlsServerName ? { tlsServerName } : {}),
    skipTlsVerify: cluster["insecure-skip-tls-verify"] === true,
    ...(proxy ? { proxy } : {}),
    credentials,
    ...(impersonate ? { impersonate } : {}),
    namespace: namespace || "default",
    name,
  };
}

function selectContext(config: Kubeconfig, asked: string | undefined) {
  const files = config.files.map(quote).join(", ");
  const name = asked || config.currentContext;
  const known = [...config.contexts.keys()].map(quote).join(", ") || "none";
  if (!name) {
    throw new AppError(
      "InvalidArgument",
      `no current context in ${files}: choose one with --context (there: ${known})`,
    );
  }
  const context = config.contexts.get(name);
  if (!context) {
    throw new AppError("InvalidArgument", `context ${quote(name)} does not exist in ${files} (there: ${known})`);
  }
  const clusterName = text(context, "cluster");
  const userName = text(context, "user");
  const cluster = config.clusters.get(clusterName);
  if (!cluster) {
    throw new AppError("InvalidArgument", `context ${quote(name)} names the unknown cluster ${quote(clusterName)}`);
  }
  const user = userName === "" ? {} : config.users.get(userName);
  if (!user) {
    throw new AppError("InvalidArgument", `context ${quote(name)} names the unknown user ${quote(userName)}`);
  }
  return { name, cluster, clusterName, user, userName, namespace: text(context, "namespace") };
}

function serverUrl(cluster: Entry, clusterName: string): URL {
  const address = text(cluster, "server");
  if (!address) throw new AppError("InvalidArgument", `cluster ${quote(clusterName)} has no server`);
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `http://${address}`);
  if (!url) {
    throw new AppError("InvalidArgument", `cluster ${quote(clusterName)} has the unusable server ${quote(address)}`);
  }
  return url;
}

interface UserEntry {
  readonly user: Entry;
  readonly userName: string;
  readonly cluster: Entry;
  readonly ca: string | undefined;
}

async function credentialsFrom(
  { user, userName, cluster, ca }: UserEntry,
  { env, interactive = false, clock }: AccessOptions & { readonly clock: Clock },
): Promise<Credentials> {
  const owner = `user ${quote(userName)}`;
  if (isEntry(user["auth-provider"])) {
    const provider = text(user["auth-provider"], "name");
    throw new AppError(
      "Unsupported",
      `${owner} needs the auth provider ${quote(provider)}, which Kubernetes has removed: use an exec plugin instead`,
    );
  }
  if (isEntry(user["exec"])) {
    const plugin = execPluginFrom(userName, user["exec"]);
    const told =
      user["exec"]["provideClusterInfo"] === true ? { ...plugin, cluster: clusterInfo(cluster, ca) } : plugin;
    return execPluginCredentials(told, { clock, env, interactive });
  }
  const certificate = await certificateFrom(user, owner);
  const more = certificate ? { certificate } : {};
  if (text(user, "token")) {
    return fixedCredentials({ headers: bearer(new Secret(text(user, "token"))), ...more });
  }
  if (text(user, "tokenFile")) return tokenFileCredentials({ path: text(user, "tokenFile"), ...more }, clock);
  if (text(user, "username")) {
    return fixedCredentials({ headers: basic(text(user, "username"), new Secret(text(user, "password"))), ...more });
  }
  return fixedCredentials({ headers: {}, ...more });
}

async function certificateFrom(user: Entry, owner: string): Promise<ClientCertificate | undefined> {
  const cert = await contentOf(user, "client-certificate", owner);
  const key = await contentOf(user, "client-key", owner);
  if (!cert && !key) return undefined;
  if (!cert || !key) {
    throw new AppError(
      "InvalidArgument",
      `${owner} has a ${cert ? "client certificate without key" : "client key without certificate"}`,
    );
  }
  return { cert, key: new Secret(key) };
}

/** What is written inline in base64, or in the file that the entry names. */
async function contentOf(entry: Entry, key: string, owner: string): Promise<string | undefined> {
  const inline = text(entry, `${key}-data`);
  if (inline) return Buffer.from(inline, "base64").toString("utf8");
  const path = text(entry, key);
  if (!path) return undefined;
  return readFile(path, "utf8").catch((cause: unknown) => {
    throw new AppError("InvalidArgument", `cannot read the ${key} ${quote(path)} of ${owner}`, { cause });
  });
}

function clusterInfo(cluster: Entry, ca: string | undefined): Entry {
  const extensions = Array.isArray(cluster["extensions"]) ? cluster["extensions"].filter(isEntry) : [];
  const config = extensions.find(({ name }) => name === "client.authentication.k8s.io/exec")?.["extension"];
  return {
    server: cluster["server"],
    ...(cluster["tls-server-name"] ? { "tls-server-name": cluster["tls-server-name"] } : {}),
    ...(cluster["insecure-skip-tls-verify"] === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca ? { "certificate-authority-data": Buffer.from(ca).toString("base64") } : {}),
    ...(cluster["proxy-url"] ? { "proxy-url": cluster["proxy-url"] } : {}),
    ...(config === undefined ? {} : { config }),
  };
}

function text(entry: Entry, key: string): string {
  const value = entry[key];
  return typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);
}

const quote = (value: string): string => JSON.stringify(value);
