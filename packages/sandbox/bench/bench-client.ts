import { type ClientHttp2Session, connect } from "node:http2";
import { request } from "node:https";

/** Where a server is, and whom to trust about it. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** PEM text. */
  readonly caCert: string;
}

interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

const connections = 4;
// As Go's client has: with Node's 64 KB a long list would measure round trips.
const windowBytes = 4 * 1024 * 1024;

/** The same plain client for both servers: requests over a few HTTP/2 connections, each watch over its own. */
export class BenchClient implements Disposable {
  readonly #address: ServerAddress;
  readonly #sessions: readonly ClientHttp2Session[];

  constructor(address: ServerAddress) {
    this.#address = address;
    this.#sessions = Array.from({ length: connections }, () => open(address));
  }

  /** Sends a request on one of the connections and reads the answer to its end; gives its size. */
  call({ method, path, body }: Call, slot = 0): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const session = this.#sessions[slot % connections];
    const stream = session?.request({
      ":method": method,
      ":path": path,
      authorization: `Bearer ${this.#address.token}`,
      "content-type": "application/json",
    });
    let size = 0;
    stream?.on("response", (headers) => {
      if (Number(headers[":status"]) >= 300) reject(new Error(`${method} ${path}: ${headers[":status"]}`));
    });
    stream?.on("data", (chunk: Buffer) => {
      size += chunk.length;
    });
    stream?.on("end", () => resolve(size));
    stream?.on("error", reject);
    stream?.end(body);
    return promise;
  }

  /** Watches objects that are only ever created, until so many have been seen. */
  watch(path: string, objects: number): { readonly opened: Promise<void>; readonly ended: Promise<void> } {
    const opened = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const { url, token, caCert } = this.#address;
    const options = { headers: { authorization: `Bearer ${token}` }, agent: false, ca: caCert };
    const open = () => {
      const call = request(`${url}${path}`, options, (response) => {
        opened.resolve();
        let left = objects;
        response.on("data", (chunk: Buffer) => {
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) left--;
          if (left > 0) return;
          ended.resolve();
          call.destroy();
        });
        // A server may cut off a watcher that is slow to read; a new watch begins with all that is there.
        response.on("end", open);
      });
      call.on("error", (error) => {
        opened.reject(error);
        ended.reject(error);
      });
      call.end();
    };
    open();
    return { opened: opened.promise, ended: ended.promise };
  }

  [Symbol.dispose](): void {
    for (const session of this.#sessions) session.destroy();
  }
}

function open({ url, caCert }: ServerAddress): ClientHttp2Session {
  const session = connect(url, { ca: caCert, settings: { initialWindowSize: windowBytes } });
  session.once("connect", () => session.setLocalWindowSize(windowBytes));
  return session;
}
