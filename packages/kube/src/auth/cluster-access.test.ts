import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { systemClock } from "@jibe/base";
import { fakeClock, tempDir, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { resolveAccess } from "./cluster-access.ts";
import { tokenFileCredentials } from "./credentials.ts";
import { inClusterAccess } from "./in-cluster.ts";

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

const first = `
current-context: one
contexts:
- {name: one, context: {cluster: a, user: u, namespace: shop}}
- {name: two, context: {cluster: b, user: u}}
- {name: broken, context: {cluster: nowhere, user: u}}
- {name: nobody, context: {cluster: a, user: missing}}
clusters:
- {name: a, cluster: {server: "https://a.example:6443", certificate-authority: ca.crt}}
users:
- {name: u, user: {token: first}}
- {name: provider, user: {auth-provider: {name: gcp}}}
`;
const second = `
current-context: two
contexts:
- {name: one, context: {cluster: b, user: u}}
- {name: provider, context: {cluster: b, user: provider}}
- {name: file, context: {cluster: b, user: file}}
clusters:
- {name: b, cluster: {server: "b.example:8080", proxy-url: "http://proxy:1"}}
users:
- {name: u, user: {token: second}}
- {name: file, user: {tokenFile: /nowhere/token}}
`;

describe("resolveAccess", () => {
  async function twoFiles() {
    const folder = await tempDir("kubeconfig");
    const one = await write(join(folder.path, "one", "config"), first);
    const two = await write(join(folder.path, "two.yaml"), second);
    await write(join(folder.path, "one", "ca.crt"), "the authority");
    const env = { KUBECONFIG: [one, join(folder.path, "missing"), two].join(delimiter) };
    return { env, one, two, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  }

  test("merges the files of KUBECONFIG: the first to name something wins", async () => {
    using scope = testScope();
    await using files = await twoFiles();
    const access = await resolveAccess({ env: files.env }, scope);
    expect(access).toMatchObject({ name: "one", namespace: "shop", ca: "the authority", skipTlsVerify: false });
    expect(access.server.href).toBe("https://a.example:6443/");
    expect(await access.credentials.present(scope)).toEqual({ headers: { authorization: "Bearer first" } });
    expect(scope.messages("warn")).toEqual(["a kubeconfig file is missing"]);
  });

  test("takes the context that is asked for, from any of the files", async () => {
    using scope = testScope();
    await using files = await twoFiles();
    const access = await resolveAccess({ env: files.env, context: "two" }, scope);
    expect(access).toMatchObject({ name: "two", namespace: "default", proxy: "http://proxy:1" });
    expect(access.server.href).toBe("http://b.example:8080/");
  });

  test("finds the file in the home directory", async () => {
    using scope = testScope();
    await using home = await tempDir("home");
    await write(join(home.path, ".kube", "config"), first.replace("certificate-authority: ca.crt", "x: y"));
    expect(await resolveAccess({ env: { HOME: home.path } }, scope)).toMatchObject({ name: "one" });
  });

  const wrong: Record<string, { context: string; want: RegExp }> = {
    "an unknown context is named, with those there are": { context: "none", want: /context "none".*"one", "two"/ },
    "an unknown cluster is named": { context: "broken", want: /unknown cluster "nowhere"/ },
    "an unknown user is named": { context: "nobody", want: /unknown user "missing"/ },
    "a removed auth provider gets a hint": { context: "provider", want: /"gcp".*use an exec plugin/ },
  };
  for (const [name, { context, want }] of Object.entries(wrong)) {
    test(name, async () => {
      using scope = testScope();
      await using files = await twoFiles();
      await expect(resolveAccess({ env: files.env, context }, scope)).rejects.toThrow(want);
    });
  }

  test("a missing token file is named when it is needed", async () => {
    using scope = testScope();
    await using files = await twoFiles();
    const { credentials } = await resolveAccess({ env: files.env, context: "file" }, scope);
    await expect(credentials.present(scope)).rejects.toThrow('cannot read the token file "/nowhere/token"');
  });

  test("a missing certificate file is named, with whose it is", async () => {
    using scope = testScope();
    await using folder = await tempDir("kubeconfig");
    const kubeconfig = await write(join(folder.path, "config"), first);
    await expect(resolveAccess({ env: {}, kubeconfig }, scope)).rejects.toThrow(
      /certificate-authority ".*ca.crt" of cluster "a"/,
    );
  });

  const unusable: Record<string, { text: string; want: RegExp }> = {
    "broken YAML": { text: "a: [", want: /config" is not valid YAML/ },
    "a list": { text: "- a", want: /is not a mapping/ },
    "no current context": { text: "contexts: [{name: x, context: {}}]", want: /no current context.*"x"/ },
    "an entry without name": {
      text: "current-context: a\nusers: [{user: {}}]",
      want: /an entry without a name in "users"/,
    },
    "an empty file": { text: "", want: /no current context/ },
  };
  for (const [name, { text, want }] of Object.entries(unusable)) {
    test(`a kubeconfig with ${name} is refused by name`, async () => {
      using scope = testScope();
      await using folder = await tempDir("kubeconfig");
      const kubeconfig = await write(join(folder.path, "config"), text);
      await expect(resolveAccess({ env: {}, kubeconfig }, scope)).rejects.toThrow(want);
    });
  }

  test("without any configuration it says where it looked", async () => {
    using scope = testScope();
    await expect(resolveAccess({ env: { HOME: "/nowhere" } }, scope)).rejects.toThrow(
      /no Kubernetes configuration found \("\/nowhere\/.kube\/config"\): set KUBECONFIG/,
    );
    await expect(resolveAccess({ env: {}, inCluster: true }, scope)).rejects.toThrow(/not inside a cluster/);
  });
});

describe("in a pod", () => {
  test("the mounted service account is used, and its token read again when it was replaced", async () => {
    using scope = testScope();
    await using folder = await tempDir("account");
    await write(join(folder.path, "ca.crt"), "the authority");
    await write(join(folder.path, "namespace"), "shop\n");
    await write(join(folder.path, "token"), "old\n");
    const clock = fakeClock();
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    const access = await inClusterAccess({ env, clock, folder: folder.path });
    expect(access).toMatchObject({ namespace: "shop", ca: "the authority", name: "in-cluster" });
    expect(access.server.href).toBe("https://[fd00::1]/");
    const before = await access.credentials.present(scope);
    expect(before.headers).toEqual({ authorization: "Bearer old" });
    await write(join(folder.path, "token"), "new");
    expect(access.credentials.present(scope)).toBe(before);
    await clock.advance(60_000);
    expect((await access.credentials.present(scope)).headers).toEqual({ authorization: "Bearer new" });
  });

  test("a pod without service account gets a hint", async () => {
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    await expect(inClusterAccess({ env, clock: systemClock, folder: "/nowhere" })).rejects.toThrow(
      /automountServiceAccountToken/,
    );
  });
});

describe("a token file", () => {
  test("is read at once when the server refuses the token", async () => {
    using scope = testScope();
    await using folder = await tempDir("token");
    const path = await write(join(folder.path, "token"), "old");
    const credentials = tokenFileCredentials({ path }, fakeClock());
    const old = await credentials.present(scope);
    expect(await credentials.renew(old, scope)).toBe(false);
    await write(path, "new");
    expect(await credentials.renew(old, scope)).toBe(true);
    expect((await credentials.present(scope)).headers).toEqual({ authorization: "Bearer new" });
  });

  test("that is empty is refused by name", async () => {
    using scope = testScope();
    await using folder = await tempDir("token");
    const path = await write(join(folder.path, "token"), " \n");
    await expect(tokenFileCredentials({ path }, systemClock).present(scope)).rejects.toThrow(/token" is empty/);
  });
});
