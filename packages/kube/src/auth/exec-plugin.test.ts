import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@jibe/base";
import { fakeClock, tempDir, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { connectTo } from "../../test/connect-to.ts";
import { sendJson, sendStatus, startServer } from "../../test/scripted-server.ts";
import type { ResourceRef } from "../index.ts";
import { execPluginCredentials, execPluginFrom } from "./exec-plugin.ts";

const v1 = "client.authentication.k8s.io/v1";
const pods: ResourceRef = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };

/** A plugin in JavaScript; `status` is an expression, `runs` counts how often it ran. */
function entryFor(folder: string, status: string, more: object = {}) {
  const log = join(folder, "runs");
  const script = `
    const fs = require("node:fs");
    fs.appendFileSync(${JSON.stringify(log)}, process.env.KUBERNETES_EXEC_INFO + "\\n");
    const runs = fs.readFileSync(${JSON.stringify(log)}, "utf8").trim().split("\\n").length;
    console.log(JSON.stringify({ apiVersion: ${JSON.stringify(v1)}, kind: "ExecCredential", status: ${status} }));
  `;
  const args = ["-e", script];
  return { apiVersion: v1, command: process.execPath, args, interactiveMode: "Never", ...more };
}

const infos = async (folder: string) =>
  (await readFile(join(folder, "runs"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("an exec plugin", () => {
  test("gives the token, and is run again only when it has expired", async () => {
    using scope = testScope();
    await using folder = await tempDir("plugin");
    const clock = fakeClock({ start: new Date("2026-01-01T00:00:00Z") });
    const status = '{ token: "t" + runs, expirationTimestamp: "2026-01-01T00:0" + runs + ":00Z" }';
    const plugin = execPluginFrom("jane", entryFor(folder.path, status));
    const credentials = execPluginCredentials(plugin, { clock, env: {}, interactive: false });
    const token = async () => (await credentials.present(scope)).headers["authorization"];
    expect(await Promise.all([token(), token()])).toEqual(["Bearer t1", "Bearer t1"]);
    await clock.advance(59_000);
    expect(await token()).toBe("Bearer t1");
    await clock.advance(1000);
    expect(await token()).toBe("Bearer t2");
  });

  test("is told what it was asked for, and about the cluster if it wants to know", async () => {
    using scope = testScope();
    await using folder = await tempDir("plugin");
    await using server = await startServer((_, response) => sendJson(response, 200, {}));
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "x" } }];
    const exec = entryFor(folder.path, '{ token: "t" }', { provideClusterInfo: true });
    await using client = await connectTo(server.url, scope, { user: { exec }, cluster: { extensions } });
    await client.get(pods, { namespace: "a", name: "b" }, scope);
    expect(await infos(folder.path)).toEqual([
      {
        apiVersion: v1,
        kind: "ExecCredential",
        spec: { interactive: false, cluster: { server: server.url, config: { audience: "x" } } },
      },
    ]);
  });

  test("is run again, once, when the server refuses its token", async () => {
    using scope = testScope();
    await using folder = await tempDir("plugin");
    await using server = await startServer(({ headers }, response) =>
      headers.authorization === "Bearer t2"
        ? sendJson(response, 200, { ok: true })
        : sendStatus(response, 401, "Unauthorized"),
    );
    const exec = entryFor(folder.path, '{ token: "t" + runs }');
    await using client = await connectTo(server.url, scope, { user: { exec } });
    expect(await client.get(pods, { namespace: "a", name: "b" }, scope)).toEqual({ ok: true });
    expect(await infos(folder.path)).toHaveLength(2);
  });

  test("that cannot help with a 401 is not asked for ever", async () => {
    using scope = testScope();
    await using folder = await tempDir("plugin");
    await using server = await startServer((_, response) => sendStatus(response, 401, "Unauthorized"));
    await using client = await connectTo(server.url, scope, {
      user: { exec: entryFor(folder.path, '{ token: "t" }') },
    });
    await expect(client.get(pods, { namespace: "a", name: "b" }, scope)).rejects.toMatchObject({
      code: "PermissionDenied",
    });
    expect(await infos(folder.path)).toHaveLength(2);
  });

  const wrong: Record<string, { status?: string; more?: object; want: RegExp }> = {
    "that is not installed is named, with its hint": {
      more: { command: "no-such-plugin", installHint: "install it with brew" },
      want: /"no-such-plugin" of user "jane" was not found; install it with brew/,
    },
    "that fails is named with what it printed": {
      more: { args: ["-e", 'console.error("log in first"); process.exit(3)'] },
      want: /failed with exit code 3: log in first/,
    },
    "that prints nonsense is named": { more: { args: ["-e", 'console.log("hello")'] }, want: /is not JSON/ },
    "that gives nothing is named": { status: "{}", want: /neither a token nor a certificate/ },
    "that gives half a key pair is named": {
      status: '{ clientCertificateData: "x" }',
      want: /certificate without a key/,
    },
    "that must ask a person needs a terminal": { more: { interactiveMode: "Always" }, want: /needs a terminal/ },
  };
  for (const [name, { status = '{ token: "t" }', more = {}, want }] of Object.entries(wrong)) {
    test(name, async () => {
      using scope = testScope();
      await using folder = await tempDir("plugin");
      const plugin = execPluginFrom("jane", entryFor(folder.path, status, more));
      const credentials = execPluginCredentials(plugin, { clock: systemClock, env: { PATH: "" }, interactive: false });
      await expect(credentials.present(scope)).rejects.toThrow(want);
    });
  }

  test("of an unknown version, or without a mode, is refused", () => {
    const exec = { command: "x", apiVersion: "client.authentication.k8s.io/v1alpha1" };
    expect(() => execPluginFrom("jane", exec)).toThrow(/use client.authentication.k8s.io\/v1 or/);
    expect(() => execPluginFrom("jane", { command: "x", apiVersion: v1 })).toThrow(/needs interactiveMode/);
    const beta = execPluginFrom("jane", { command: "x", apiVersion: `${v1}beta1` });
    expect(beta.interactiveMode).toBe("IfAvailable");
  });

  test("is ended with the call that started it, and another caller is not harmed", async () => {
    using scope = testScope();
    using impatient = testScope();
    await using folder = await tempDir("plugin");
    const flag = join(folder.path, "go");
    const wait = `(() => { while (runs === 1 && !fs.existsSync(${JSON.stringify(flag)})); return { token: "t" + runs }; })()`;
    const plugin = execPluginFrom("jane", entryFor(folder.path, wait));
    const credentials = execPluginCredentials(plugin, { clock: systemClock, env: {}, interactive: false });
    const stopped = credentials.present(impatient);
    const other = credentials.present(scope);
    impatient.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    await writeFile(flag, "");
    expect((await other).headers["authorization"]).toMatch(/^Bearer t/);
  });
});
