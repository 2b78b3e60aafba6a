import { Pool } from "undici";

/** Where the server is, without any of what the client adds. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** PEM text of the authority to trust. */
  readonly caCert: string;
}

/** What a program pays that talks to the server with undici alone: the yardstick. */
export interface BareClient extends AsyncDisposable {
  /** Reads every page of a list and parses it once. */
  readList(path: string): Promise<{ bytes: number; pages: number; items: number }>;
  post(path: string, body: Uint8Array): Promise<void>;
}

export function openBareClient({ url, token, caCert }: ServerAddress): BareClient {
  const pool = new Pool(url, { allowH2: false, connect: { ca: caCert } });
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  return {
    async readList(path) {
      const total = { bytes: 0, pages: 0, items: 0 };
      let token = "";
      do {
        const query = `limit=500${token ? `&continue=${encodeURIComponent(token)}` : ""}`;
        const { body } = await pool.request({ method: "GET", path: `${path}?${query}`, headers });
        const text = await body.text();
        const list = JSON.parse(text) as { metadata: { continue?: string }; items: unknown[] };
        total.bytes += text.length;
        total.pages++;
        total.items += list.items.length;
        token = list.metadata.continue ?? "";
      } while (token !== "");
      return total;
    },
    async post(path, body) {
      const response = await pool.request({
        method: "POST",
        path,
        headers: { ...headers, "content-type": "application/json" },
        body,
      });
      await response.body.bytes();
      if (response.statusCode !== 201) throw new Error(`POST ${path} was answered with ${response.statusCode}`);
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
