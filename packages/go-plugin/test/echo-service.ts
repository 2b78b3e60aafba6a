import { AppError } from "@jibe/base";
import type { GrpcBroker, GrpcService } from "../src/index.ts";
import { grpcService } from "../src/index.ts";
import { Echo } from "./gen/echo_pb.ts";

const chunkBytes = 64 * 1024;

/** The echo service that the tests talk to, here and in Go. */
export function echoService({ broker, socketDir }: { broker?: GrpcBroker; socketDir?: string } = {}): GrpcService {
  return grpcService(Echo, {
    async say({ value }, { signal }) {
      await obey(Buffer.from(value.subarray(0, 100)).toString(), signal);
      return { value };
    },
    async sink(requests) {
      let bytes = 0n;
      for await (const { value } of requests) bytes += BigInt(value.length);
      return { value: bytes };
    },
    async *source({ value }) {
      const chunk = new Uint8Array(chunkBytes);
      for (let left = Number(value); left > 0; left -= chunkBytes) {
        yield { value: chunk.subarray(0, Math.min(left, chunkBytes)) };
      }
    },
    async *chat(requests) {
      for await (const { value } of requests) yield { value };
    },
    async offer({ value }) {
      if (!broker || !socketDir) throw new AppError("Unsupported", "no broker");
      const signal = AbortSignal.timeout(10_000);
      broker.serve({ id: value, services: [echoService()], socketDir }, { signal }).catch(() => {});
      return { value };
    },
    async callBack({ value }, call) {
      if (!broker) throw new AppError("Unsupported", "no broker");
      using channel = await broker.dial(value, call);
      return await channel.unary(Echo.method.say, { value: Buffer.from("hello") }, call);
    },
  });
}

async function obey(text: string, signal: AbortSignal): Promise<void> {
  const [word, rest = ""] = text.split(": ");
  if (word === "fail") throw new Error(rest);
  if (word === "print") process.stdout.write(`${rest}\n`);
  if (word === "exit") process.exit(3);
  if (word === "hang") {
    await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  }
}
