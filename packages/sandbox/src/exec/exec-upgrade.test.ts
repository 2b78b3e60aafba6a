import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { ContractClient } from "../../contract/contract-client.ts";
import { type ExecHandler, type Sandbox, startSandbox } from "../index.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [{ name: "main", image: "x:1" }] },
};

async function withPod(exec: ExecHandler): Promise<Sandbox> {
  const sandbox = await startSandbox({ exec });
  using client = new ContractClient(sandbox);
  await client.send({ method: "POST", path: "/api/v1/namespaces/default/pods", body: JSON.stringify(pod) });
  return sandbox;
}

function open({ url, caCert, token }: Sandbox, query: string, name = "p"): WebSocket {
  const path = `/api/v1/namespaces/default/pods/${name}/exec?${query}`;
  const headers = { authorization: `Bearer ${token}` };
  return new WebSocket(`${url.replace("https", "wss")}${path}`, ["v5.channel.k8s.io"], { ca: caCert, headers });
}

/** Everything a session sends, by channel. */
async function transcript(socket: WebSocket): Promise<Record<number, string>> {
  const channels: Record<number, string> = {};
  socket.on("message", (message: Buffer) => {
    const channel = message[0] ?? -1;
    channels[channel] = `${channels[channel] ?? ""}${message.subarray(1).toString()}`;
  });
  await once(socket, "close");
  return channels;
}

test("a command's output and exit code reach the client", async () => {
  const exec: ExecHandler = async ({ command, container }, output) => {
    output.stdout(`${container}: ${command.join(" ")}`);
    output.stderr("oops");
    return 3;
  };
  await using sandbox = await withPod(exec);
  const channels = await transcript(open(sandbox, "command=echo&command=hi&stdout=true&stderr=true"));
  expect(channels[1]).toBe("main: echo hi");
  expect(channels[2]).toBe("oops");
  expect(JSON.parse(channels[3] ?? "")).toMatchObject({
    status: "Failure",
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: "3" }] },
  });
});

test("what the client types reaches the command", async () => {
  const exec: ExecHandler = async ({ stdin }, output) => {
    for await (const chunk of stdin) output.stdout(Buffer.from(chunk).toString().toUpperCase());
    return 0;
  };
  await using sandbox = await withPod(exec);
  const socket = open(sandbox, "command=cat&stdin=true&stdout=true");
  const result = transcript(socket);
  await once(socket, "open");
  socket.send(Buffer.concat([Buffer.of(0), Buffer.from("hello")]));
  socket.send(Buffer.of(255, 0));
  const channels = await result;
  expect(channels[1]).toBe("HELLO");
  expect(JSON.parse(channels[3] ?? "")).toMatchObject({ status: "Success" });
});

test("a client that leaves stops the command", async () => {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const exec: ExecHandler = async (_request, output, { signal }) => {
    output.stdout("started");
    await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return 0;
  };
  await using sandbox = await withPod((request, output, scope) => exec(request, output, scope).finally(resolve));
  const socket = open(sandbox, "command=sleep&stdout=true");
  await once(socket, "message");
  socket.terminate();
  await ended;
});

test.each([
  ["a pod that is not there", "command=x", "absent", 404],
  ["a container that is not there", "command=x&container=other", "p", 400],
  ["no command", "stdout=true", "p", 400],
])("%s is refused", async (_what, query, name, code) => {
  await using sandbox = await withPod(async () => 0);
  const socket = open(sandbox, query, name);
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
  expect(response.statusCode).toBe(code);
  socket.on("error", () => {});
  socket.terminate();
});
