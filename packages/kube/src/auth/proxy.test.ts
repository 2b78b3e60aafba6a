import { expect, test } from "vitest";
import { proxyFromEnv } from "./proxy.ts";

const proxy = "http://proxy.example:3128";
const cases: Record<string, { server: string; env: Record<string, string>; want: string | undefined }> = {
  "uses HTTPS_PROXY for https": { server: "https://k8s.example", env: { HTTPS_PROXY: proxy }, want: proxy },
  "reads the lower-case name too": { server: "https://k8s.example", env: { https_proxy: proxy }, want: proxy },
  "uses HTTP_PROXY for http": {
    server: "http://k8s.example",
    env: { HTTP_PROXY: proxy, HTTPS_PROXY: "x" },
    want: proxy,
  },
  "takes a bare address as http": { server: "https://k8s.example", env: { HTTPS_PROXY: "p:1" }, want: "http://p:1" },
  "never goes to loopback by proxy": { server: "https://127.0.0.1:6443", env: { HTTPS_PROXY: proxy }, want: undefined },
  "never goes to localhost by proxy": { server: "https://localhost", env: { HTTPS_PROXY: proxy }, want: undefined },
};
const exempt: Record<string, { server: string; noProxy: string; isExempt: boolean }> = {
  "a name": { server: "https://k8s.example", noProxy: "k8s.example", isExempt: true },
  "a subdomain of a name": { server: "https://a.k8s.example", noProxy: "other, k8s.example", isExempt: true },
  "only subdomains, with a dot": { server: "https://k8s.example", noProxy: ".k8s.example", isExempt: false },
  "not a name that merely ends alike": { server: "https://myk8s.example", noProxy: "k8s.example", isExempt: false },
  "an address": { server: "https://10.1.2.3:6443", noProxy: "10.1.2.3", isExempt: true },
  "a network": { server: "https://10.1.2.3", noProxy: "10.0.0.0/8", isExempt: true },
  "not another network": { server: "https://11.1.2.3", noProxy: "10.0.0.0/8", isExempt: false },
  "a port": { server: "https://k8s.example:6443", noProxy: "k8s.example:6443", isExempt: true },
  "not another port": { server: "https://k8s.example", noProxy: "k8s.example:6443", isExempt: false },
  "everything by a star": { server: "https://k8s.example", noProxy: "*", isExempt: true },
  "an IPv6 network": { server: "https://[fd00::1]:6443", noProxy: "fd00::/8", isExempt: true },
};
for (const [name, { server, env, want }] of Object.entries(cases)) {
  test(`proxyFromEnv ${name}`, () => expect(proxyFromEnv(new URL(server), env)).toBe(want));
}
for (const [name, { server, noProxy, isExempt }] of Object.entries(exempt)) {
  test(`NO_PROXY exempts ${name}`, () => {
    const found = proxyFromEnv(new URL(server), { HTTPS_PROXY: proxy, NO_PROXY: noProxy });
    expect(found).toBe(isExempt ? undefined : proxy);
  });
}
