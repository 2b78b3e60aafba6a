package main

import (
	"context"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework"
	biav2 "github.com/vmware-tanzu/velero/pkg/plugin/generated/backupitemaction/v2"
	"google.golang.org/grpc"
)

const item = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop","labels":{"app":"shop"}},"data":{"greeting":"hello","size":"large","colour":"blue"}}`
const backup = `{"apiVersion":"velero.io/v1","kind":"Backup","metadata":{"name":"daily","namespace":"velero"},"spec":{"ttl":"720h0m0s"},"status":{"phase":"InProgress"}}`

type rawPlugin struct{ plugin.NetRPCUnsupportedPlugin }

func (*rawPlugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }

func (*rawPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return biav2.NewBackupItemActionClient(conn), nil
}

// bench calls Execute so many times, with so many calls in flight, and returns the seconds it took. The item travels as
// bytes: nothing is decoded on the host's side, as in the host it is measured against.
func bench(command string, calls, inFlight int) (float64, error) {
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  framework.Handshake(),
		Plugins:          map[string]plugin.Plugin{"raw": &rawPlugin{}},
		Cmd:              exec.Command(command),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
	})
	defer client.Kill()
	protocol, err := client.Client()
	if err != nil {
		return 0, err
	}
	raw, err := protocol.Dispense("raw")
	if err != nil {
		return 0, err
	}
	action := raw.(biav2.BackupItemActionClient)
	// Velero's framework makes the action at its first call and is not safe for two of them at once.
	if err := callAll(action, 1, 1); err != nil {
		return 0, err
	}
	run := func(calls int) error { return callAll(action, calls, inFlight) }
	if err := run(calls / 2); err != nil { // warm-up
		return 0, err
	}
	began := time.Now()
	err = run(calls)
	return time.Since(began).Seconds(), err
}

func callAll(action biav2.BackupItemActionClient, calls, inFlight int) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	var failure atomic.Pointer[error]
	for range inFlight {
		workers.Go(func() {
			for next.Add(1) <= int64(calls) {
				request := &biav2.ExecuteRequest{Plugin: noop, Item: []byte(item), Backup: []byte(backup)}
				if _, err := action.Execute(context.Background(), request); err != nil {
					failure.Store(&err)
				}
			}
		})
	}
	workers.Wait()
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}
