import type { Clock } from "@jibe/base";
import { GrpcBroker, until } from "./broker.ts";
import { Health } from "./gen/grpc/health/v1/health_pb.ts";
import { GRPCBroker, GRPCController, GRPCStdio, StdioData_Channel } from "./gen/plugin/plugin_pb.ts";
import { type GrpcService, grpcService } from "./grpc-service.ts";
import { StdioSource } from "./stdio-source.ts";

const serving = 1;
const hostLostMs = 5000;

/**
 * The services every host expects beside the plugin's own. A host opens the stdio stream at once and keeps it; when that
 * stream is cut and none follows, the host is gone, and `stop` is called so that no plugin is left behind.
 */
export function hostServices({
  stop,
  clock,
  stdio = new StdioSource(),
  broker = new GrpcBroker(),
}: {
  readonly stop: (why: string) => void;
  readonly clock: Clock;
  readonly stdio?: StdioSource | undefined;
  readonly broker?: GrpcBroker | undefined;
}): readonly GrpcService[] {
  let streams = 0;
  const streamEnded = () => {
    streams -= 1;
    clock.after(hostLostMs, () => {
      if (streams === 0) stop("the host is gone");
    });
  };
  return [
    grpcService(GRPCController, {
      async shutdown() {
        clock.after(0, () => stop("the host asked for the end")); // after this answer was written
        return {};
      },
    }),
    grpcService(GRPCStdio, {
      async *streamStdio(_request, { signal }) {
        streams += 1;
        try {
          for await (const { channel, data } of stdio.read(signal)) {
            yield { channel: channel === "stderr" ? StdioData_Channel.STDERR : StdioData_Channel.STDOUT, data };
          }
        } finally {
          streamEnded();
        }
      },
    }),
    grpcService(GRPCBroker, {
      startStream(requests, call) {
        broker.receive(requests).catch(() => {}); // the stream ends with the connection
        return broker.announcements(call);
      },
    }),
    grpcService(Health, {
      check: async () => ({ status: serving }),
      async *watch(_request, { signal }) {
        yield { status: serving };
        await until(signal);
      },
    }),
  ];
}
