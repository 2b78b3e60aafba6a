package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// runHost calls every method of a snapshotter and prints one line for each answer.
func runHost(command, name string) error {
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		Plugins:          map[string]plugin.Plugin{"snapshots": &snapshots{}},
		Cmd:              exec.Command(command),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
	})
	defer client.Kill()
	protocol, err := client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense("snapshots")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	conn := raw.(*grpc.ClientConn)
	listing := &Listing{}
	if err := conn.Invoke(ctx, "/generated.PluginLister/ListPlugins", &Nothing{}, listing); err != nil {
		return err
	}
	for _, entry := range listing.Entries {
		fmt.Println("ListPlugins", entry.Kind, entry.Name)
	}
	volume := []byte(`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv","annotations":{"volume":"v1"}}}`)
	calls := []struct {
		method  string
		in, out proto.Message
	}{
		{"Init", &Setup{To: name, Settings: map[string]string{"region": "north"}}, &Nothing{}},
		{"CreateVolumeFromSnapshot", &MakeVolume{To: name, Snapshot: "s", Type: "t", Zone: "z", Iops: 7}, &Volume{}},
		{"GetVolumeInfo", &AskVolume{To: name, Volume: "fast", Zone: "z"}, &VolumeFacts{}},
		{"CreateSnapshot", &MakeSnapshot{To: name, Volume: "v", Zone: "z", Tags: map[string]string{"a": "b"}}, &Snapshot{}},
		{"DeleteSnapshot", &OneSnapshot{To: name, Id: "s"}, &Nothing{}},
		{"GetVolumeID", &ReadVolumeId{To: name, Object: volume}, &Volume{}},
		{"SetVolumeID", &WriteVolumeId{To: name, Object: volume, Volume: "v2"}, &VolumeObject{}},
		{"Progress", &OneSnapshot{To: name, Id: "s"}, &HowFar{}},
		{"Cancel", &OneSnapshot{To: name, Id: "s"}, &emptypb.Empty{}},
	}
	for _, call := range calls {
		if err := conn.Invoke(ctx, "/v2.VolumeSnapshotter/"+call.method, call.in, call.out); err != nil {
			return fmt.Errorf("%s: %w", call.method, err)
		}
		fmt.Println(call.method, describe(call.out))
	}
	return nil
}

func describe(out proto.Message) string {
	switch answer := out.(type) {
	case *Volume:
		return answer.Id
	case *Snapshot:
		return answer.Id
	case *VolumeFacts:
		return fmt.Sprint(answer.Type, " ", answer.Iops)
	case *VolumeObject:
		return string(answer.Object)
	case *HowFar:
		how := answer.How
		return fmt.Sprint(how.Done, " ", how.Reached, " ", how.Goal, " ", how.Began.GetSeconds())
	}
	return "ok"
}
