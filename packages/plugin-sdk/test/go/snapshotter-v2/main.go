// Command snapshotter-v2 is both sides of VolumeSnapshotter v2 on HashiCorp's go-plugin, made from protos of its own.
// Started by a host it serves the snapshotter "example.io/go-snapshots", or "example.io/go-folders" when the program's name
// contains "folders"; started as "snapshotter-v2 host COMMAND NAME" it calls every method of a snapshotter and prints what
// came back.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
		Plugins:         map[string]plugin.Plugin{"snapshots": served()},
		GRPCServer:      func(opts []grpc.ServerOption) *grpc.Server { return grpc.NewServer(opts...) },
	})
}

func served() *snapshots {
	if !strings.Contains(filepath.Base(os.Args[0]), "folders") {
		return &snapshots{name: "example.io/go-snapshots", kind: "VolumeSnapshotterV2", own: &echo{}}
	}
	kind := kindFor(os.Getenv("JIBE_PLUGIN_KINDS"))
	return &snapshots{name: "example.io/go-folders", kind: kind, own: &folders{asynchronous: kind == "VolumeSnapshotterV2"}}
}
