import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** The server's end of one WebSocket. */
export interface ServerSocket {
  /** Binary messages as they come in. */
  readonly received: Buffer[];
  send(message: Buffer): void;
  close(): void;
  cut(): void;
}

export interface SocketServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: { readonly url: string; readonly protocols: string }[];
}

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** A WebSocket server of its own few lines: binary messages of any size, no fragments, no extensions. */
export async function startSocketServer(
  protocol: string,
  accept: (socket: ServerSocket, message: Buffer | undefined) => void,
): Promise<SocketServer> {
  const asked: SocketServer["asked"] = [];
  const sockets = new Set<Socket>();
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (request, stream) => {
    const socket = stream as Socket;
    sockets.add(socket);
    asked.push({ url: request.url ?? "", protocols: String(request.headers["sec-websocket-protocol"]) });
    const key = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${magic}`).digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    socket.write([...head, `Sec-WebSocket-Accept: ${key}`, `Sec-WebSocket-Protocol: ${protocol}`, "", ""].join("\r\n"));
    const received: Buffer[] = [];
    const end: ServerSocket = {
      received,
      send: (message) => socket.write(frame(0x82, message)),
      close: () => socket.end(frame(0x88, Buffer.of(0x03, 0xe8))),
      cut: () => socket.destroy(),
    };
    let pending = Buffer.alloc(0);
    socket.on("error", () => {}); // a test may leave at any time
    socket.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (let next = unframe(pending); next; next = unframe(pending)) {
        pending = pending.subarray(next.length);
        if (next.opcode !== 2) continue;
        received.push(next.message);
        accept(end, next.message);
      }
    });
    accept(end, undefined);
  });
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function frame(head: number, message: Buffer): Buffer {
  if (message.length < 126) return Buffer.concat([Buffer.of(head, message.length), message]);
  const size = Buffer.alloc(4);
  size.writeUInt16BE((head << 8) | 126, 0);
  size.writeUInt16BE(message.length, 2);
  return Buffer.concat([size, message]);
}

/** The first whole frame; clients mask theirs. */
function unframe(bytes: Buffer): { opcode: number; message: Buffer; length: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const start = short === 126 ? 4 : 2;
  if (bytes.length < start + 4) return undefined;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  const length = start + 4 + size;
  if (bytes.length < length) return undefined;
  const mask = bytes.subarray(start, start + 4);
  const message = Buffer.from(bytes.subarray(start + 4, length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { opcode: bytes.readUInt8(0) & 0x0f, message, length };
}
