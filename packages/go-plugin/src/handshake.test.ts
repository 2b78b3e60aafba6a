import { describe, expect, test } from "vitest";
import { formatHandshakeLine, type Handshake, handshakeEnvironment, parseHandshakeLine } from "./handshake.ts";

const handshake: Handshake = { cookieKey: "COOKIE", cookieValue: "yes", protocolVersion: 2 };

describe("parseHandshakeLine", () => {
  test("reads what Go plugins print", () => {
    const line = "1|2|unix|/tmp/plugin1234567890|grpc|\n";
    expect(parseHandshakeLine(line, handshake)).toEqual({ network: "unix", address: "/tmp/plugin1234567890" });
    const tcp = "1|2|tcp|127.0.0.1:10001|grpc||false";
    expect(parseHandshakeLine(tcp, handshake)).toEqual({ network: "tcp", address: "127.0.0.1:10001" });
  });

  const refused: Record<string, [line: string, why: RegExp]> = {
    "a line of another program": ["listening on :8080", /fewer than four fields/],
    "another core version": ["2|2|unix|/s|grpc", /core protocol version is not 1/],
    "another plugin version": ["1|3|unix|/s|grpc", /plugin protocol version is not 2/],
    "an unknown network": ["1|2|udp|/s|grpc", /unknown network "udp"/],
    "net/rpc by name": ["1|2|unix|/s|netrpc", /only grpc/],
    "net/rpc by silence": ["1|2|unix|/s", /only grpc/],
  };
  for (const [name, [line, why]] of Object.entries(refused)) {
    test(`refuses ${name}`, () => expect(() => parseHandshakeLine(line, handshake)).toThrow(why));
  }
});

test("our line is one that we read, with an empty certificate", () => {
  const line = formatHandshakeLine({ network: "unix", address: "/s" }, handshake);
  expect(line).toBe("1|2|unix|/s|grpc|\n");
});

test("a plugin is told cookie and version", () => {
  expect(handshakeEnvironment(handshake)).toMatchObject({ COOKIE: "yes", PLUGIN_PROTOCOL_VERSIONS: "2" });
});
