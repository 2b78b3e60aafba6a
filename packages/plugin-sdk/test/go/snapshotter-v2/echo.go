package main

import (
	"encoding/json"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// echo answers so that a test can see from each answer what was asked.
type echo struct{ settings map[string]string }

func (e *echo) Init(in *Setup) (*Nothing, error) {
	e.settings = in.Settings
	return &Nothing{}, nil
}

func (*echo) CreateVolumeFromSnapshot(in *MakeVolume) (*Volume, error) {
	return &Volume{Id: fmt.Sprintf("%s/%s/%s/%d", in.Snapshot, in.Type, in.Zone, in.Iops)}, nil
}

func (*echo) GetVolumeInfo(in *AskVolume) (*VolumeFacts, error) {
	return &VolumeFacts{Type: in.Volume + "/" + in.Zone, Iops: 1 << 40}, nil
}

func (e *echo) CreateSnapshot(in *MakeSnapshot) (*Snapshot, error) {
	return &Snapshot{Id: fmt.Sprintf("%s/%s/%s/%s", e.settings["region"], in.Volume, in.Zone, in.Tags["a"])}, nil
}

func (*echo) DeleteSnapshot(in *OneSnapshot) (*Nothing, error) { return &Nothing{}, refuse(in.Id) }

func (*echo) GetVolumeID(in *ReadVolumeId) (*Volume, error) {
	object := map[string]any{}
	err := json.Unmarshal(in.Object, &object)
	return &Volume{Id: fmt.Sprint(object["kind"])}, err
}

func (*echo) SetVolumeID(in *WriteVolumeId) (*VolumeObject, error) {
	object := map[string]any{}
	err := json.Unmarshal(in.Object, &object)
	object["volume"] = in.Volume
	changed, _ := json.Marshal(object)
	return &VolumeObject{Object: changed}, err
}

func (*echo) Progress(in *OneSnapshot) (*HowFar, error) {
	if err := refuse(in.Id); err != nil {
		return nil, err
	}
	return &HowFar{How: &Progress{
		Reached: 3, Goal: 1 << 40, Unit: "bytes", Words: in.Id,
		Began: timestamppb.New(time.Unix(1700000000, 0)), Seen: timestamppb.New(time.Time{}),
	}}, nil
}

func (*echo) Cancel(in *OneSnapshot) (*emptypb.Empty, error) { return &emptypb.Empty{}, refuse(in.Id) }

func refuse(id string) error {
	if id == "unknown" {
		return fmt.Errorf("operation ID %s is invalid", id)
	}
	return nil
}
