// Command echo is both sides of the echo protocol on HashiCorp's go-plugin, for the tests of the TypeScript ones.
// Started by a host it serves as a plugin; started as "echo host COMMAND" it runs a plugin, uses all of it and says how
// that went.
package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

var handshake = plugin.HandshakeConfig{
	ProtocolVersion: 7, MagicCookieKey: "ECHO_PLUGIN", MagicCookieValue: "please",
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "host" {
		if err := runHost(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	log := hclog.New(&hclog.LoggerOptions{JSONFormat: true, Output: os.Stderr, DisableTime: true})
	log.Warn("echo starts", "answer", 42)
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         map[string]plugin.Plugin{"echo": &echoPlugin{}},
		GRPCServer:      func(opts []grpc.ServerOption) *grpc.Server { return grpc.NewServer(opts...) },
		Logger:          log,
	})
}
