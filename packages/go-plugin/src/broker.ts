import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { AppError } from "@jibe/base";
import type { ConnInfo } from "./gen/plugin/plugin_pb.ts";
import { type CallScope, connectGrpc, type GrpcChannel } from "./grpc-channel.ts";
import type { GrpcService } from "./grpc-service.ts";

type Announcement = Pick<ConnInfo, "serviceId" | "network" | "address">;

/**
 * Lets host and plugin open further connections to each other, in both directions. One side serves under a number and
 * announces where; the other dials that number. How the number gets across is up to the plugin's own protocol.
 */
export class GrpcBroker {
  readonly #announced = new Map<number, Announcement>();
  readonly #outgoing: Announcement[] = [];
  #changed = Promise.withResolvers<void>();
  #nextId = 0;

  nextId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  /** Serves on a socket of its own in `socketDir` until the scope is stopped, and tells the other side. */
  async serve(
    { id, services, socketDir }: { id: number; services: readonly GrpcService[]; socketDir: string },
    { signal }: CallScope,
  ): Promise<void> {
    const address = join(socketDir, `broker${randomBytes(6).toString("hex")}`);
    const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
    for (const service of services) service.addTo(server, { signal });
    const bound = Promise.withResolvers<void>();
    server.bindAsync(`unix:${address}`, ServerCredentials.createInsecure(), (error) =>
      error
        ? bound.reject(new AppError("Unavailable", `cannot listen on ${address}`, { cause: error }))
        : bound.resolve(),
    );
    try {
      await bound.promise;
      this.#outgoing.push({ serviceId: id, network: "unix", address });
      this.#notify();
      await until(signal);
    } finally {
      server.forceShutdown();
      await rm(address, { force: true });
    }
  }

  /** Connects to what the other side serves under the number, waiting for its announcement. */
  async dial(id: number, { signal }: CallScope): Promise<GrpcChannel> {
    while (true) {
      signal.throwIfAborted();
      const found = this.#announced.get(id);
      if (found) {
        this.#announced.delete(id);
        const network = found.network === "tcp" ? "tcp" : "unix";
        return connectGrpc({ network, address: found.address });
      }
      await Promise.race([this.#changed.promise, until(signal)]);
    }
  }

  /** Takes in what the other side announces. */
  async receive(incoming: AsyncIterable<ConnInfo>): Promise<void> {
    for await (const info of incoming) {
      this.#announced.set(info.serviceId, info);
      this.#notify();
    }
  }

  /** What is to be announced to the other side, until the scope is stopped. */
  async *announcements({ signal }: CallScope): AsyncGenerator<Announcement> {
    while (!signal.aborted) {
      const next = this.#outgoing.shift();
      if (next) yield next;
      else await Promise.race([this.#changed.promise, until(signal)]);
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** Resolves when the signal is aborted. */
export function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
