import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";

/** Where a cluster is and how to be let in. */
export interface Access {
  readonly url: string;
  readonly token: string;
}

export interface Answer {
  readonly code: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly text: string;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

/** Talks to an API server as plainly as possible, so that nothing of the answer is hidden. */
export class ContractClient implements Disposable {
  readonly #access: Access;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  constructor(access: Access) {
    this.#access = access;
  }

  async send(call: Call): Promise<Answer> {
    const response = await this.#open(call);
    let text = "";
    response.setEncoding("utf8");
    for await (const chunk of response) text += chunk;
    const warnings = String(response.headers["warning"] ?? "");
    return {
      code: response.statusCode ?? 0,
      contentType: String(response.headers["content-type"] ?? ""),
      warnings: warnings === "" ? [] : warnings.split(/, (?=299 )/),
      text,
    };
  }

  /** Opens a stream of lines; the caller ends it by returning from the iteration. */
  async *lines(path: string, opened: () => void): AsyncGenerator<string> {
    const response = await this.#open({ method: "GET", path });
    opened();
    response.setEncoding("utf8");
    let rest = "";
    for await (const chunk of response) {
      const parts = `${rest}${chunk}`.split("\n");
      rest = parts.pop() ?? "";
      yield* parts;
    }
    if (rest !== "") yield rest;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #open({ method, path, body, contentType, accept }: Call): Promise<IncomingMessage> {
    const options: RequestOptions = {
      method,
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.#access.token}`,
        "user-agent": "contract/1.0",
        ...(accept === undefined ? {} : { accept }),
        ...(body === undefined
          ? {}
          : { "content-type": contentType ?? "application/json", "content-length": Buffer.byteLength(body) }),
      },
    };
    return new Promise((resolve, reject) => {
      const call = request(`${this.#access.url}${path}`, options, resolve);
      call.on("error", reject);
      call.end(body);
    });
  }
}
