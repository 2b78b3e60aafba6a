package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// snapshots binds the service to go-plugin, for both sides.
type snapshots struct{ plugin.NetRPCUnsupportedPlugin }

func (*snapshots) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	server.RegisterService(listerDesc(), &snapshotter{})
	server.RegisterService(snapshotterDesc(), &snapshotter{})
	return nil
}

func (*snapshots) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

// snapshotter answers so that a test can see from each answer what was asked.
type snapshotter struct{ settings map[string]string }

func listerDesc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "generated.PluginLister", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method("ListPlugins", func(*snapshotter, *Nothing) (*Listing, error) {
			entry := &Listing_Entry{Program: os.Args[0], Kind: "VolumeSnapshotterV2", Name: "example.io/go-snapshots"}
			return &Listing{Entries: []*Listing_Entry{entry}}, nil
		}),
	}}
}

func snapshotterDesc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "v2.VolumeSnapshotter", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method("Init", func(s *snapshotter, in *Setup) (*Nothing, error) {
			s.settings = in.Settings
			return &Nothing{}, nil
		}),
		method("CreateVolumeFromSnapshot", func(s *snapshotter, in *MakeVolume) (*Volume, error) {
			return &Volume{Id: fmt.Sprintf("%s/%s/%s/%d", in.Snapshot, in.Type, in.Zone, in.Iops)}, nil
		}),
		method("GetVolumeInfo", func(s *snapshotter, in *AskVolume) (*VolumeFacts, error) {
			return &VolumeFacts{Type: in.Volume + "/" + in.Zone, Iops: 1 << 40}, nil
		}),
		method("CreateSnapshot", func(s *snapshotter, in *MakeSnapshot) (*Snapshot, error) {
			return &Snapshot{Id: fmt.Sprintf("%s/%s/%s/%s", s.settings["region"], in.Volume, in.Zone, in.Tags["a"])}, nil
		}),
		method("DeleteSnapshot", func(s *snapshotter, in *OneSnapshot) (*Nothing, error) {
			return &Nothing{}, refuse(in.Id)
		}),
		method("GetVolumeID", func(s *snapshotter, in *ReadVolumeId) (*Volume, error) {
			object := map[string]any{}
			err := json.Unmarshal(in.Object, &object)
			return &Volume{Id: fmt.Sprint(object["kind"])}, err
		}),
		method("SetVolumeID", func(s *snapshotter, in *WriteVolumeId) (*VolumeObject, error) {
			object := map[string]any{}
			err := json.Unmarshal(in.Object, &object)
			object["volume"] = in.Volume
			changed, _ := json.Marshal(object)
			return &VolumeObject{Object: changed}, err
		}),
		method("Progress", func(s *snapshotter, in *OneSnapshot) (*HowFar, error) {
			if err := refuse(in.Id); err != nil {
				return nil, err
			}
			return &HowFar{How: &Progress{
				Reached: 3, Goal: 1 << 40, Unit: "bytes", Words: in.Id,
				Began: timestamppb.New(time.Unix(1700000000, 0)), Seen: timestamppb.New(time.Time{}),
			}}, nil
		}),
		method("Cancel", func(s *snapshotter, in *OneSnapshot) (*emptypb.Empty, error) {
			return &emptypb.Empty{}, refuse(in.Id)
		}),
	}}
}

func refuse(id string) error {
	if id == "unknown" {
		return fmt.Errorf("operation ID %s is invalid", id)
	}
	return nil
}

func method[In, Out any](name string, handle func(*snapshotter, *In) (*Out, error)) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(srv any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		in := new(In)
		if err := decode(in); err != nil {
			return nil, err
		}
		return handle(srv.(*snapshotter), in)
	}}
}
