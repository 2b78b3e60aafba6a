package main

import (
	"context"

	"google.golang.org/grpc"
)

type echoService interface {
	say(context.Context, *bytesValue) (*bytesValue, error)
}

// serviceDesc is what protoc would make of echo.proto, written by hand: its messages are all well-known types.
func serviceDesc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: "echo.Echo",
		HandlerType: (*echoService)(nil),
		Methods: []grpc.MethodDesc{
			unary("Say", func(s *echoServer, ctx context.Context, in *bytesValue) (any, error) { return s.say(ctx, in) }),
			unary("Offer", func(s *echoServer, _ context.Context, in *uint32Value) (any, error) { return s.offer(in) }),
			unary("CallBack", func(s *echoServer, ctx context.Context, in *uint32Value) (any, error) { return s.callBack(ctx, in) }),
		},
		Streams: []grpc.StreamDesc{
			{StreamName: "Sink", ClientStreams: true, Handler: func(srv any, stream grpc.ServerStream) error {
				return srv.(*echoServer).sink(stream)
			}},
			{StreamName: "Source", ServerStreams: true, Handler: func(srv any, stream grpc.ServerStream) error {
				size := new(int64Value)
				if err := stream.RecvMsg(size); err != nil {
					return err
				}
				return srv.(*echoServer).source(size.Value, stream)
			}},
			{StreamName: "Chat", ClientStreams: true, ServerStreams: true, Handler: func(srv any, stream grpc.ServerStream) error {
				return srv.(*echoServer).chat(stream)
			}},
		},
	}
}

func unary[In any](name string, handle func(*echoServer, context.Context, *In) (any, error)) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(srv any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		in := new(In)
		if err := decode(in); err != nil {
			return nil, err
		}
		return handle(srv.(*echoServer), ctx, in)
	}}
}
