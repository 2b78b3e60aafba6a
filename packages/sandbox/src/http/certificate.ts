import { generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";

/** A certificate that vouches for itself, with its private key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

// The few DER building blocks that a certificate needs (X.690).
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const length: number[] = [];
  for (let rest = content.length; rest > 0; rest >>>= 8) length.unshift(rest & 0xff);
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length, ...length), content]);
};
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const set = (...parts: readonly Uint8Array[]) => der(0x31, ...parts);
const octets = (content: Uint8Array) => der(0x04, content);
const bits = (content: Uint8Array) => der(0x03, Buffer.of(0), content);
const utf8 = (text: string) => der(0x0c, Buffer.from(text));
const yes = der(0x01, Buffer.of(0xff));
const unsigned = (bytes: Uint8Array) =>
  der(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);

const identifier = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
};

/** Years from 2050 on need the longer form of a time. */
const time = (date: Date): Buffer => {
  const digits = `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`;
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
};

const extension = (dotted: string, value: Uint8Array, critical = false) =>
  sequence(identifier(dotted), ...(critical ? [yes] : []), octets(value));

const ecdsaWithSha256 = sequence(identifier("1.2.840.10045.4.3.2"));
const oneHourMs = 3_600_000;
const tenYearsMs = 10 * 365 * 24 * oneHourMs;

function namesExtension(hosts: readonly string[], addresses: readonly string[]): Buffer {
  const names = [
    ...hosts.map((host) => der(0x82, Buffer.from(host))),
    ...addresses.map((address) => der(0x87, addressBytes(address))),
  ];
  return extension("2.5.29.17", sequence(...names));
}

function addressBytes(address: string): Buffer {
  if (address === "::1") return Buffer.concat([Buffer.alloc(15), Buffer.of(1)]);
  return Buffer.from(address.split(".").map(Number));
}

/** Makes an ECDSA P-256 certificate for these names, valid from one hour ago for ten years. */
export function selfSignedCertificate({
  now,
  hosts = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
  addresses = ["127.0.0.1", "::1"],
}: {
  readonly now: Date;
  readonly hosts?: readonly string[];
  readonly addresses?: readonly string[];
}): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(identifier("2.5.4.3"), utf8(`jibe-sandbox-${randomBytes(4).toString("hex")}`))));
  const serial = Buffer.concat([Buffer.of(0x01), randomBytes(15)]);
  const validity = sequence(time(new Date(now.getTime() - oneHourMs)), time(new Date(now.getTime() + tenYearsMs)));
  const extensions = sequence(
    extension("2.5.29.15", der(0x03, Buffer.of(2, 0xa4)), true), // digitalSignature, keyEncipherment, keyCertSign
    extension("2.5.29.37", sequence(identifier("1.3.6.1.5.5.7.3.1"))), // serverAuth
    extension("2.5.29.19", sequence(yes), true), // CA, so that clients may trust it as their root
    namesExtension(hosts, addresses),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))), // version 3
    unsigned(serial),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = new X509Certificate(sequence(body, ecdsaWithSha256, bits(signature)));
  return { cert: certificate.toString(), key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
