import { textAt } from "../printing/read.ts";
import type { ClusterPort } from "./cluster-port.ts";

const size = 256 * 254;
const addressAt = (index: number) => `10.244.${Math.floor(index / 254) % 256}.${(index % 254) + 1}`;

/** Hands out pod addresses. One that a living pod has is not given to another. */
export class PodAddresses {
  readonly #port: ClusterPort;
  #taken: Set<string>;
  #next = 1;

  constructor(port: ClusterPort) {
    this.#port = port;
    this.#taken = this.#inUse();
  }

  take(): string {
    for (let tries = 0; tries < size; tries++) {
      if (this.#next % size === 0) this.#taken = this.#inUse();
      const address = addressAt(this.#next++ % size);
      if (!this.#taken.has(address)) return address;
    }
    return addressAt(0);
  }

  #inUse(): Set<string> {
    return new Set(this.#port.list("pods").map((pod) => textAt(pod, "status.podIP")));
  }
}
