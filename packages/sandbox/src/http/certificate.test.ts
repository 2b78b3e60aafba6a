import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { selfSignedCertificate } from "./certificate.ts";

const now = new Date("2026-03-01T10:00:00Z");

test("a certificate signs itself and names the loopback addresses", () => {
  const certificate = new X509Certificate(selfSignedCertificate({ now }).cert);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certificate.checkIP("::1")).toBe("::1");
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.ca).toBe(true);
});

test("a certificate is valid from an hour ago for ten years", () => {
  const certificate = new X509Certificate(selfSignedCertificate({ now }).cert);
  expect(certificate.validFromDate.toISOString()).toBe("2026-03-01T09:00:00.000Z");
  expect(certificate.validToDate.getUTCFullYear()).toBe(2036);
});

test("years from 2050 on are written in the long form", () => {
  const certificate = new X509Certificate(selfSignedCertificate({ now: new Date("2045-01-01T00:00:00Z") }).cert);
  expect(certificate.validToDate.getUTCFullYear()).toBe(2054);
});
