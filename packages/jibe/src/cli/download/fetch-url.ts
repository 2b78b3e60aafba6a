import { readFile } from "node:fs/promises";
import { AppError, type Scope } from "@jibe/base";

/** Whom to trust when a file is fetched from a store. */
export interface UrlTrust {
  readonly insecureSkipTlsVerify?: boolean;
  /** Path of a PEM file. */
  readonly caCertFile?: string;
  /** PEM text that the location holds. */
  readonly caCert?: string;
}

/** The body behind a signed URL. Error texts never hold the URL's signature. */
export async function* fetchUrl(url: string, trust: UrlTrust, scope: Scope): AsyncGenerator<Uint8Array> {
  const { Agent, request } = await import("undici");
  const ca = [
    ...(trust.caCertFile ? [await readFile(trust.caCertFile, "utf8")] : []),
    ...(trust.caCert ? [trust.caCert] : []),
  ];
  const { rootCertificates } = await import("node:tls");
  const agent = new Agent({
    allowH2: false,
    connect: {
      rejectUnauthorized: !trust.insecureSkipTlsVerify,
      ...(ca.length > 0 ? { ca: [...rootCertificates, ...ca] } : {}),
    },
  });
  const { host } = new URL(url);
  try {
    const response = await request(url, { dispatcher: agent, signal: scope.signal }).catch((cause: unknown) => {
      scope.signal.throwIfAborted();
      throw new AppError("Unavailable", `cannot reach the store at ${host}; is it reachable from here?`, { cause });
    });
    if (response.statusCode === 404) throw new AppError("NotFound", `file not found in the store at ${host}`);
    if (response.statusCode !== 200) {
      const text = (await response.body.text()).slice(0, 500);
      throw new AppError("Unavailable", `the store at ${host} answered ${response.statusCode}: ${text}`);
    }
    yield* response.body as AsyncIterable<Uint8Array>;
  } finally {
    await agent.destroy();
  }
}
