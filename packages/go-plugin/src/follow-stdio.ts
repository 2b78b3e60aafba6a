import { GRPCStdio, StdioData_Channel } from "./gen/plugin/plugin_pb.ts";
import type { CallScope, GrpcChannel } from "./grpc-channel.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { PluginOutput } from "./plugin-output.ts";

/**
 * Reads what a Go plugin prints after the handshake, which go-plugin sends as a gRPC stream. It must be read: the plugin
 * blocks in its print calls otherwise. Plugins without the service, and the end of the plugin, end it silently.
 */
export function followStdio(channel: GrpcChannel, output: PluginOutput, scope: CallScope): void {
  const stdout = new LineSplitter((line) => output.addPlain(line));
  const stderr = new LineSplitter((line) => output.addPlain(line));
  const follow = async () => {
    for await (const { channel: from, data } of channel.serverStream(GRPCStdio.method.streamStdio, {}, scope)) {
      (from === StdioData_Channel.STDERR ? stderr : stdout).write(data);
    }
  };
  const flush = () => {
    stdout.end();
    stderr.end();
  };
  follow().then(flush, flush);
}
