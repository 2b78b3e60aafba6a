// Command snapshotter-v2 is both sides of VolumeSnapshotter v2 on HashiCorp's go-plugin, made from protos of its own.
// Started by a host it serves the snapshotter "example.io/go-snapshots"; started as "snapshotter-v2 host COMMAND NAME" it
// calls every method of a snapshotter and prints what came back.
package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

var handshake = plugin.HandshakeConfig{ProtocolVersion: 2, MagicCookieKey: "VELERO_PLUGIN", MagicCookieValue: "hello"}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "host" {
		if err := runHost(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         map[string]plugin.Plugin{"snapshots": &snapshots{}},
		GRPCServer:      func(opts []grpc.ServerOption) *grpc.Server { return grpc.NewServer(opts...) },
	})
}
