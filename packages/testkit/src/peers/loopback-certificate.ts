import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { systemClock } from "@jibe/base";

export interface Certificate {
  /** The certificate, as PEM. It is its own authority: clients trust this text. */
  readonly cert: string;
  readonly key: string;
}

const day = 86_400_000;

/** A self-signed certificate for `localhost` and 127.0.0.1, valid for a week, for servers and clients that tests start. */
export function loopbackCertificate(commonName: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = systemClock.now().getTime();
  const name = sequence(set(sequence(oid("2.5.4.3"), der(0x0c, Buffer.from(commonName)))));
  const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(new Date(now - day)), utcTime(new Date(now + 7 * day))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions())),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return { cert: pem("CERTIFICATE", certificate), key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

function extensions(): readonly Buffer[] {
  const critical = der(0x01, Buffer.of(0xff));
  const names = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.of(127, 0, 0, 1)));
  return [
    sequence(oid("2.5.29.19"), critical, octets(sequence(der(0x01, Buffer.of(0xff))))), // an authority
    sequence(oid("2.5.29.15"), critical, octets(der(0x03, Buffer.of(2, 0b1010_0100)))), // signs, agrees on keys, certifies
    sequence(oid("2.5.29.37"), octets(sequence(oid("1.3.6.1.5.5.7.3.1"), oid("1.3.6.1.5.5.7.3.2")))), // server, client
    sequence(oid("2.5.29.17"), octets(names)),
  ];
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, Buffer.concat(parts));
const set = (...parts: readonly Buffer[]) => der(0x31, Buffer.concat(parts));
const octets = (content: Buffer) => der(0x04, content);

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

function utcTime(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
