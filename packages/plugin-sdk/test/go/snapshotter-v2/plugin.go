package main

import (
	"context"
	"os"
	"strings"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// snapshotter is what a plugin of this program answers.
type snapshotter interface {
	Init(*Setup) (*Nothing, error)
	CreateVolumeFromSnapshot(*MakeVolume) (*Volume, error)
	GetVolumeInfo(*AskVolume) (*VolumeFacts, error)
	CreateSnapshot(*MakeSnapshot) (*Snapshot, error)
	DeleteSnapshot(*OneSnapshot) (*Nothing, error)
	GetVolumeID(*ReadVolumeId) (*Volume, error)
	SetVolumeID(*WriteVolumeId) (*VolumeObject, error)
	Progress(*OneSnapshot) (*HowFar, error)
	Cancel(*OneSnapshot) (*emptypb.Empty, error)
}

// snapshots binds the services to go-plugin, for both sides.
type snapshots struct {
	plugin.NetRPCUnsupportedPlugin
	name string
	kind string
	own  snapshotter
}

// kindFor is version 2 for a host that knows it, and version 1 for one such as Velero, which would refuse the other.
func kindFor(hostKinds string) string {
	if strings.Contains(hostKinds, "VolumeSnapshotterV2") {
		return "VolumeSnapshotterV2"
	}
	return "VolumeSnapshotter"
}

func (s *snapshots) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	server.RegisterService(s.listerDesc(), s)
	server.RegisterService(snapshotterDesc("generated.VolumeSnapshotter"), s.own)
	server.RegisterService(snapshotterDesc("v2.VolumeSnapshotter"), s.own)
	return nil
}

func (*snapshots) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

func (s *snapshots) ListPlugins(*Nothing) (*Listing, error) {
	entry := &Listing_Entry{Program: os.Args[0], Kind: s.kind, Name: s.name}
	return &Listing{Entries: []*Listing_Entry{entry}}, nil
}

func (*snapshots) listerDesc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "generated.PluginLister", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method("ListPlugins", (*snapshots).ListPlugins),
	}}
}

func snapshotterDesc(service string) *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: service, HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method("Init", snapshotter.Init),
		method("CreateVolumeFromSnapshot", snapshotter.CreateVolumeFromSnapshot),
		method("GetVolumeInfo", snapshotter.GetVolumeInfo),
		method("CreateSnapshot", snapshotter.CreateSnapshot),
		method("DeleteSnapshot", snapshotter.DeleteSnapshot),
		method("GetVolumeID", snapshotter.GetVolumeID),
		method("SetVolumeID", snapshotter.SetVolumeID),
		method("Progress", snapshotter.Progress),
		method("Cancel", snapshotter.Cancel),
	}}
}

func method[Server, In, Out any](name string, handle func(Server, *In) (*Out, error)) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(srv any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		in := new(In)
		if err := decode(in); err != nil {
			return nil, err
		}
		return handle(srv.(Server), in)
	}}
}
