import { eventually, fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { connectTo } from "../../test/connect-to.ts";
import { sendStatus, startServer } from "../../test/scripted-server.ts";
import { type ServerSocket, startSocketServer } from "../../test/socket-server.ts";

const v5 = "v5.channel.k8s.io";
const options = { namespace: "shop", pod: "web", container: "main", command: ["cat", "-n", "a b"] };
const message = (channel: number, text: string) => Buffer.concat([Buffer.of(channel), Buffer.from(text)]);
const ended = (status: object) => message(3, JSON.stringify({ kind: "Status", ...status }));
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

describe("exec", () => {
  test("sends the input, closes it, and collects each stream and the exit code", async () => {
    using scope = testScope();
    const input = "x".repeat(70_000);
    await using server = await startSocketServer(v5, (socket, received) => {
      if (received?.[0] !== 255) return;
      const size = socket.received.slice(0, -1).reduce((sum, each) => sum + each.length - 1, 0);
      socket.send(message(1, `${size} bytes, `));
      socket.send(message(2, "a warning"));
      socket.send(message(1, "closed"));
      const causes = [{ reason: "ExitCode", message: "3" }];
      socket.send(ended({ status: "Failure", reason: "NonZeroExitCode", details: { causes } }));
      socket.close();
    });
    await using client = await connectTo(server.url, scope);
    const { exitCode, stdout, stderr } = await client.exec({ ...options, stdin: input }, scope);
    expect([exitCode, text(stdout), text(stderr)]).toEqual([3, "70000 bytes, closed", "a warning"]);
    const [asked] = server.asked;
    const query = new URL(asked?.url ?? "", server.url).searchParams;
    expect(query.getAll("command")).toEqual(options.command);
    expect(query.get("stdin")).toBe("true");
    expect(asked?.protocols).toContain("v4.channel.k8s.io");
  });

  test("says when the connection was cut", async () => {
    using scope = testScope();
    await using server = await startSocketServer(v5, (socket) => {
      socket.send(message(1, "so far"));
      socket.cut();
    });
    await using client = await connectTo(server.url, scope);
    await expect(client.exec(options, scope)).rejects.toMatchObject({
      code: "Unavailable",
      message: expect.stringContaining("the connection ended before the command did"),
    });
  });

  test("ends with its time limit", async () => {
    using scope = testScope();
    const sockets: ServerSocket[] = [];
    await using server = await startSocketServer(v5, (socket) => void sockets.push(socket));
    const clock = fakeClock();
    await using client = await connectTo(server.url, scope, { options: { clock } });
    const late = expect(client.exec({ ...options, timeoutMs: 5000 }, scope)).rejects.toMatchObject({
      code: "DeadlineExceeded",
    });
    await eventually(() => sockets.length === 1);
    await clock.advance(5000);
    await late;
  });

  test("gives the server's reason when it is refused", async () => {
    using scope = testScope();
    await using server = await startServer((_, response) => sendStatus(response, 403, "Forbidden"));
    await using client = await connectTo(server.url, scope);
    await expect(client.exec(options, scope)).rejects.toMatchObject({
      code: "PermissionDenied",
      message: 'cannot run "cat" in pod "shop/web": refused: Forbidden',
    });
  });

  test("says when there is no server, and when there is no command", async () => {
    using scope = testScope();
    await using client = await connectTo("http://127.0.0.1:1", scope);
    await expect(client.exec(options, scope)).rejects.toMatchObject({ code: "Unavailable" });
    await expect(client.exec({ ...options, command: [] }, scope)).rejects.toMatchObject({ code: "InvalidArgument" });
  });
});
