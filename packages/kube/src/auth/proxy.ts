import { BlockList, isIP } from "node:net";

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy through which a server is reached, as Go programs choose it: HTTPS_PROXY or HTTP_PROXY by the server's
 * scheme, unless NO_PROXY names the host. Loopback is never proxied.
 */
export function proxyFromEnv(server: URL, env: Env): string | undefined {
  const name = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy || isExempt(server, env["NO_PROXY"] || env["no_proxy"] || "")) return undefined;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function isExempt(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host)) return true;
  return noProxy
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== "" && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInSubnet(entry, host);
  const withPort = /^(.+):(\d+)$/.exec(entry);
  const isBareIpv6 = isIP(entry) === 6;
  if (withPort && !isBareIpv6 && withPort[2] !== port) return false;
  const name = (withPort && !isBareIpv6 ? (withPort[1] ?? "") : entry).replace(/^\[|\]$/g, "");
  if (isIP(name)) return name === host;
  const domain = name.replace(/^\*\./, ".");
  return domain.startsWith(".") ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function isInSubnet(entry: string, host: string): boolean {
  const [net = "", bits = ""] = entry.split("/");
  const family = isIP(net);
  const prefix = Number(bits);
  if (family === 0 || isIP(host) !== family || !Number.isInteger(prefix) || prefix > (family === 4 ? 32 : 128)) {
    return false;
  }
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(net, prefix, type);
  return list.check(host, type);
}
