import { AppError } from "@jibe/base";

/** What host and plugin must agree on before they talk. The cookie only keeps people from starting a plugin by hand. */
export interface Handshake {
  readonly cookieKey: string;
  readonly cookieValue: string;
  readonly protocolVersion: number;
}

/** Where a plugin listens, as its first line on standard output says. */
export interface PluginAddress {
  readonly network: "unix" | "tcp";
  readonly address: string;
}

const coreVersion = 1;

/** What a host adds to the environment of a plugin. */
export function handshakeEnvironment({ cookieKey, cookieValue, protocolVersion }: Handshake): Record<string, string> {
  return {
    [cookieKey]: cookieValue,
    PLUGIN_MIN_PORT: "10000",
    PLUGIN_MAX_PORT: "25000",
    PLUGIN_PROTOCOL_VERSIONS: String(protocolVersion),
  };
}

/** The first line of a plugin. The sixth field, a certificate, stays empty: hosts without TLS crash on one. */
export function formatHandshakeLine({ network, address }: PluginAddress, { protocolVersion }: Handshake): string {
  return `${coreVersion}|${protocolVersion}|${network}|${address}|grpc|\n`;
}

/** Reads a plugin's first line; what is wrong with it is said in the error. */
export function parseHandshakeLine(line: string, { protocolVersion }: Handshake): PluginAddress {
  const [core, app, network, address, protocol = "netrpc"] = line.trim().split("|");
  const refuse = (why: string) =>
    new AppError("InvalidArgument", `not a plugin's first line (${why}): ${JSON.stringify(line.slice(0, 300))}`);
  if (address === undefined) throw refuse("it has fewer than four fields");
  if (Number(core) !== coreVersion) throw refuse(`core protocol version is not ${coreVersion}`);
  if (Number(app) !== protocolVersion) throw refuse(`plugin protocol version is not ${protocolVersion}`);
  if (network !== "unix" && network !== "tcp") throw refuse(`unknown network ${JSON.stringify(network)}`);
  if (protocol !== "grpc") throw refuse(`protocol is ${JSON.stringify(protocol)}, only grpc is supported`);
  return { network, address };
}

/** The gRPC target of an address. */
export function grpcTarget({ network, address }: PluginAddress): string {
  return network === "unix" ? `unix:${address}` : address;
}
