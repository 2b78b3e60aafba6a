package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type echoClient struct {
	broker *plugin.GRPCBroker
	conn   *grpc.ClientConn
}

func (c *echoClient) say(ctx context.Context, text string) (*bytesValue, error) {
	out := new(bytesValue)
	return out, c.conn.Invoke(ctx, "/echo.Echo/Say", wrapperspb.Bytes([]byte(text)), out)
}

// output collects what the plugin prints and logs.
type output struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.text.Write(p)
}

func (o *output) has(text string) bool {
	o.lock.Lock()
	defer o.lock.Unlock()
	return strings.Contains(o.text.String(), text)
}

// runHost starts a plugin and checks everything that a Go host uses. It prints one line for each check that passed.
func runHost(command string) error {
	var printed, logged output
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		Plugins:          map[string]plugin.Plugin{"echo": &echoPlugin{}},
		Cmd:              exec.Command(command),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		SyncStdout:       &printed,
		Logger:           hclog.New(&hclog.LoggerOptions{Output: &logged, Level: hclog.Trace}),
		GRPCDialOptions:  []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1 << 30))},
	})
	defer client.Kill()
	protocol, err := client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense("echo")
	if err != nil {
		return err
	}
	echo := raw.(*echoClient)
	checks := []struct {
		name string
		run  func(context.Context) error
	}{
		{"ping", func(context.Context) error { return protocol.Ping() }},
		{"say", func(ctx context.Context) error { return expect(echo.say(ctx, "hello"))("hello") }},
		{"20 MiB", func(ctx context.Context) error {
			big := strings.Repeat("x", 20<<20)
			return expect(echo.say(ctx, big))(big)
		}},
		{"error", echo.checkError},
		{"deadline", echo.checkDeadline},
		{"streams", echo.checkStreams},
		{"chat", echo.checkChat},
		{"print", func(ctx context.Context) error {
			if _, err := echo.say(ctx, "print: printed words"); err != nil {
				return err
			}
			return eventually(func() bool { return printed.has("printed words") })
		}},
		{"log", func(context.Context) error { return eventually(func() bool { return logged.has("echo starts") }) }},
		{"broker", echo.checkBroker},
	}
	for _, check := range checks {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		err := check.run(ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", check.name, err)
		}
		fmt.Println(check.name, "passed")
	}
	began := time.Now()
	client.Kill()
	if took := time.Since(began); !client.Exited() || took > 1900*time.Millisecond {
		return fmt.Errorf("end: the plugin had to be killed (%s)", took)
	}
	fmt.Println("end passed")
	return nil
}

func expect(answer *bytesValue, err error) func(string) error {
	return func(want string) error {
		if err == nil && string(answer.Value) != want {
			return fmt.Errorf("answered %d bytes that differ", len(answer.Value))
		}
		return err
	}
}

func (c *echoClient) checkError(ctx context.Context) error {
	_, err := c.say(ctx, "fail: out of cheese")
	if got := status.Convert(err); got.Message() != "out of cheese" {
		return fmt.Errorf("got %v", err)
	}
	return nil
}

func (c *echoClient) checkDeadline(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := c.say(short, "hang"); err == nil {
		return fmt.Errorf("a hanging call answered")
	}
	return expect(c.say(ctx, "still here"))("still here")
}

func (c *echoClient) checkStreams(ctx context.Context) error {
	const size = 20 << 20
	source, err := c.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/echo.Echo/Source")
	if err != nil {
		return err
	}
	if err := source.SendMsg(wrapperspb.Int64(size)); err != nil {
		return err
	}
	source.CloseSend()
	received := 0
	for chunk := new(bytesValue); ; {
		if err := source.RecvMsg(chunk); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		received += len(chunk.Value)
	}
	sink, err := c.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, "/echo.Echo/Sink")
	if err != nil {
		return err
	}
	for sent := 0; sent < size; sent += 65536 {
		if err := sink.SendMsg(wrapperspb.Bytes(make([]byte, 65536))); err != nil {
			return err
		}
	}
	sink.CloseSend()
	total := new(int64Value)
	if err := sink.RecvMsg(total); err != nil {
		return err
	}
	if received != size || total.Value != size {
		return fmt.Errorf("received %d, sent %d of %d", received, total.Value, size)
	}
	return nil
}

func (c *echoClient) checkChat(ctx context.Context) error {
	stream, err := c.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/echo.Echo/Chat")
	if err != nil {
		return err
	}
	for _, word := range []string{"one", "two"} {
		if err := stream.SendMsg(wrapperspb.Bytes([]byte(word))); err != nil {
			return err
		}
		answer := new(bytesValue)
		if err := expect(answer, stream.RecvMsg(answer))(word); err != nil {
			return err
		}
	}
	return stream.CloseSend()
}

func (c *echoClient) checkBroker(ctx context.Context) error {
	if err := c.conn.Invoke(ctx, "/echo.Echo/Offer", wrapperspb.UInt32(11), new(uint32Value)); err != nil {
		return err
	}
	conn, err := c.broker.Dial(11)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := expect((&echoClient{c.broker, conn}).say(ctx, "brokered"))("brokered"); err != nil {
		return err
	}
	id := c.broker.NextId()
	go c.broker.AcceptAndServe(id, func(opts []grpc.ServerOption) *grpc.Server {
		server := grpc.NewServer(opts...)
		server.RegisterService(serviceDesc(), &echoServer{c.broker})
		return server
	})
	answer := new(bytesValue)
	return expect(answer, c.conn.Invoke(ctx, "/echo.Echo/CallBack", wrapperspb.UInt32(id), answer))("hello")
}

func eventually(condition func() bool) error {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if condition() {
			return nil
		}
	}
	return fmt.Errorf("not seen within 10 s")
}
