import { type Scope, silentLogger } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { type PluginProcess, startPlugin } from "../src/index.ts";
import { echoService } from "./echo-service.ts";
import { Echo } from "./gen/echo_pb.ts";
import { echoHandshake } from "./handshake.ts";

const scope: Scope = { signal: new AbortController().signal, log: silentLogger };
const { say, sink, source, chat, offer, callBack } = Echo.method;

/** What our host must be able to do with an echo plugin, whatever it is written in. */
export function verifyHost(name: string, findCommand: () => Promise<string>): void {
  describe(`our host with ${name}`, () => {
    let command: string;
    beforeAll(async () => {
      command = await findCommand();
    });
    const start = () => startPlugin({ command, env: process.env, handshake: echoHandshake }, scope);
    const echo = async (plugin: PluginProcess, text: string, signal = scope.signal) => {
      const { value } = await plugin.channel.unary(say, { value: Buffer.from(text) }, { signal });
      return Buffer.from(value).toString();
    };

    test("calls, checks health and ends it", async () => {
      const plugin = await start();
      expect(await echo(plugin, "hello")).toBe("hello");
      await plugin.checkHealth(scope);
      await plugin[Symbol.asyncDispose]();
      expect(plugin.exit).toEqual({ code: 0, signal: undefined });
    });

    test("passes messages of 3 MiB in both directions", async () => {
      await using plugin = await start();
      const value = new Uint8Array(3 * 1024 * 1024).fill(7);
      const answer = await plugin.channel.unary(say, { value }, scope);
      expect(Buffer.compare(answer.value, value)).toBe(0);
    });

    test("gives the plugin's error text", async () => {
      await using plugin = await start();
      await expect(echo(plugin, "fail: out of cheese")).rejects.toMatchObject({
        code: "Internal",
        message: "out of cheese",
        fields: { grpcCode: "UNKNOWN" },
      });
    });

    test("stops a call at once, and the plugin goes on", async () => {
      await using plugin = await start();
      const stopping = new AbortController();
      const hanging = echo(plugin, "hang", stopping.signal);
      const reason = new Error("enough");
      stopping.abort(reason);
      await expect(hanging).rejects.toBe(reason);
      expect(await echo(plugin, "still here")).toBe("still here");
    });

    test("tells how a plugin died in a call", async () => {
      await using plugin = await start();
      await expect(echo(plugin, "exit")).rejects.toMatchObject({ code: "Unavailable" });
      expect(await plugin.exited).toEqual({ code: 3, signal: undefined });
    });

    test("streams 20 MiB each way", async () => {
      await using plugin = await start();
      const bytes = 20 * 1024 * 1024;
      let received = 0;
      for await (const { value } of plugin.channel.serverStream(source, { value: BigInt(bytes) }, scope)) {
        received += value.length;
      }
      expect(received).toBe(bytes);
      const chunks = async function* () {
        for (let sent = 0; sent < bytes; sent += 65536) yield { value: new Uint8Array(65536) };
      };
      const { value } = await plugin.channel.clientStream(sink, chunks(), scope);
      expect(value).toBe(BigInt(bytes));
    });

    test("talks both ways at once", async () => {
      await using plugin = await start();
      const words = async function* () {
        for (const word of ["one", "two", "three"]) yield { value: Buffer.from(word) };
      };
      const heard: string[] = [];
      for await (const { value } of plugin.channel.duplex(chat, words(), scope)) heard.push(String(Buffer.from(value)));
      expect(heard).toEqual(["one", "two", "three"]);
    });

    test("leaves a stream early without harm", async () => {
      await using plugin = await start();
      for await (const _ of plugin.channel.serverStream(source, { value: 1_000_000_000n }, scope)) break;
      expect(await echo(plugin, "hello")).toBe("hello");
    });

    test("hears what the plugin prints", async () => {
      await using plugin = await start();
      await echo(plugin, "print: printed words");
      await eventually(() => plugin.lastOutput().includes("printed words"));
    });

    test("connects through the broker in both directions", async () => {
      await using plugin = await start();
      await plugin.channel.unary(offer, { value: 11 }, scope);
      using dialed = await plugin.broker.dial(11, { signal: AbortSignal.timeout(10_000) });
      const { value } = await dialed.unary(say, { value: Buffer.from("brokered") }, scope);
      expect(Buffer.from(value).toString()).toBe("brokered");

      const serving = new AbortController();
      const id = plugin.broker.nextId();
      const served = plugin.broker.serve({ id, services: [echoService()], socketDir: plugin.socketDir }, serving);
      const answer = await plugin.channel.unary(callBack, { value: id }, scope);
      expect(Buffer.from(answer.value).toString()).toBe("hello");
      serving.abort();
      await served;
    });
  });
}
