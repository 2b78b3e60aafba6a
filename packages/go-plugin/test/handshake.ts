import type { Handshake } from "../src/index.ts";

export const echoHandshake: Handshake = { cookieKey: "ECHO_PLUGIN", cookieValue: "please", protocolVersion: 7 };
