package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// echoPlugin binds the echo service to go-plugin.
type echoPlugin struct{ plugin.NetRPCUnsupportedPlugin }

func (*echoPlugin) GRPCServer(broker *plugin.GRPCBroker, server *grpc.Server) error {
	server.RegisterService(serviceDesc(), &echoServer{broker})
	return nil
}

func (*echoPlugin) GRPCClient(_ context.Context, broker *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return &echoClient{broker, conn}, nil
}

type echoServer struct{ broker *plugin.GRPCBroker }

type (
	bytesValue  = wrapperspb.BytesValue
	int64Value  = wrapperspb.Int64Value
	uint32Value = wrapperspb.UInt32Value
)

func (*echoServer) say(ctx context.Context, request *bytesValue) (*bytesValue, error) {
	word, rest, _ := strings.Cut(string(request.Value[:min(len(request.Value), 100)]), ": ")
	switch word {
	case "fail":
		return nil, errors.New(rest)
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "exit":
		os.Exit(3)
	case "print":
		fmt.Println(rest)
	}
	return request, nil
}

func (*echoServer) sink(stream grpc.ServerStream) error {
	var total int64
	for {
		chunk := new(bytesValue)
		if err := stream.RecvMsg(chunk); err == io.EOF {
			return stream.SendMsg(wrapperspb.Int64(total))
		} else if err != nil {
			return err
		}
		total += int64(len(chunk.Value))
	}
}

func (*echoServer) source(size int64, stream grpc.ServerStream) error {
	for left := size; left > 0; left -= 65536 {
		if err := stream.SendMsg(wrapperspb.Bytes(make([]byte, min(left, 65536)))); err != nil {
			return err
		}
	}
	return nil
}

func (*echoServer) chat(stream grpc.ServerStream) error {
	for {
		word := new(bytesValue)
		if err := stream.RecvMsg(word); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := stream.SendMsg(word); err != nil {
			return err
		}
	}
}

func (s *echoServer) offer(id *uint32Value) (*uint32Value, error) {
	go s.broker.AcceptAndServe(id.Value, func(opts []grpc.ServerOption) *grpc.Server {
		server := grpc.NewServer(opts...)
		server.RegisterService(serviceDesc(), &echoServer{s.broker})
		return server
	})
	return id, nil
}

func (s *echoServer) callBack(ctx context.Context, id *uint32Value) (*bytesValue, error) {
	conn, err := s.broker.Dial(id.Value)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return (&echoClient{s.broker, conn}).say(ctx, "hello")
}
