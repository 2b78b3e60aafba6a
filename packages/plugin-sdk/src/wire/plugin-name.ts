import { AppError } from "@jibe/base";

const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Fails unless a name is `<DNS subdomain>/<name>`, as every plugin's must be. */
export function checkPluginName(name: string): void {
  const [prefix = "", rest = "", ...more] = name.split("/");
  if (more.length === 0 && rest !== "" && prefix.length <= 253 && dnsSubdomain.test(prefix)) return;
  throw new AppError(
    "InvalidArgument",
    `invalid plugin name ${JSON.stringify(name)}: write it like example.io/my-plugin, a lower-case DNS name, one slash, a name`,
  );
}

/** The name to look up: without a slash it means one of Velero's own. */
export function qualifiedPluginName(name: string): string {
  return name.includes("/") ? name : `velero.io/${name}`;
}
