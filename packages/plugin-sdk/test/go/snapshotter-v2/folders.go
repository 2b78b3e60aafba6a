package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// folders snapshots volumes of the CSI driver "go.example.io": the volume with the handle X is the folder
// <root>/volumes/X, and its snapshots are copies below <root>/snapshots. Under a host of version 2 a snapshot grows by
// one file each time its progress is asked, whichever process is asked; under one of version 1 it is made at once.
// A volume with a file "broken" fails when that file is reached, one with a file "endless" never gets past it. What is
// called is noted in <root>/calls.
type folders struct {
	root         string
	asynchronous bool
}

const driver = "go.example.io"

func (f *folders) note(format string, args ...any) {
	file, err := os.OpenFile(filepath.Join(f.root, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer file.Close()
	fmt.Fprintf(file, format+"\n", args...)
}

func (f *folders) volume(id string) string   { return filepath.Join(f.root, "volumes", id) }
func (f *folders) snapshot(id string) string { return filepath.Join(f.root, "snapshots", id) }

// source is the volume behind a snapshot's ID, which is "<volume>.<time>".
func (f *folders) source(id string) string { return f.volume(id[:strings.LastIndex(id, ".")]) }

func (f *folders) Init(in *Setup) (*Nothing, error) {
	if in.Settings["root"] == "" {
		return nil, fmt.Errorf("the location's config needs a root")
	}
	f.root = in.Settings["root"]
	return &Nothing{}, nil
}

func (f *folders) GetVolumeInfo(*AskVolume) (*VolumeFacts, error) {
	return &VolumeFacts{Type: "go-folder"}, nil
}

func (f *folders) CreateSnapshot(in *MakeSnapshot) (*Snapshot, error) {
	id := fmt.Sprintf("%s.%d", in.Volume, time.Now().UnixNano())
	f.note("CreateSnapshot %s", id)
	if err := os.MkdirAll(f.snapshot(id), 0o755); err != nil {
		return nil, err
	}
	for !f.asynchronous {
		if how, err := f.copyNext(id); err != nil || how.Done {
			return &Snapshot{Id: id}, err
		}
	}
	return &Snapshot{Id: id}, nil
}

func (f *folders) DeleteSnapshot(in *OneSnapshot) (*Nothing, error) {
	f.note("DeleteSnapshot %s", in.Id)
	return &Nothing{}, os.RemoveAll(f.snapshot(in.Id))
}

func (f *folders) CreateVolumeFromSnapshot(in *MakeVolume) (*Volume, error) {
	f.note("CreateVolumeFromSnapshot %s", in.Snapshot)
	id := fmt.Sprintf("from-%s-%d", in.Snapshot, time.Now().UnixNano())
	return &Volume{Id: id}, os.CopyFS(f.volume(id), os.DirFS(f.snapshot(in.Snapshot)))
}

func (f *folders) GetVolumeID(in *ReadVolumeId) (*Volume, error) {
	csi, _, err := csiOf(in.Object)
	if err != nil || csi["driver"] != driver {
		return &Volume{}, err
	}
	return &Volume{Id: fmt.Sprint(csi["volumeHandle"])}, nil
}

func (f *folders) SetVolumeID(in *WriteVolumeId) (*VolumeObject, error) {
	csi, object, err := csiOf(in.Object)
	if err != nil {
		return nil, err
	}
	csi["volumeHandle"] = in.Volume
	changed, err := json.Marshal(object)
	return &VolumeObject{Object: changed}, err
}

// csiOf gives the part of a PersistentVolume that names its CSI volume, and the whole; changing one changes the other.
func csiOf(content []byte) (csi, object map[string]any, err error) {
	err = json.Unmarshal(content, &object)
	spec, _ := object["spec"].(map[string]any)
	csi, _ = spec["csi"].(map[string]any)
	return csi, object, err
}

func (f *folders) Progress(in *OneSnapshot) (*HowFar, error) {
	f.note("Progress %s", in.Id)
	how, err := f.copyNext(in.Id)
	return &HowFar{How: how}, err
}

func (f *folders) Cancel(in *OneSnapshot) (*emptypb.Empty, error) {
	f.note("Cancel %s", in.Id)
	return &emptypb.Empty{}, nil
}

// copyNext copies the first file that the snapshot lacks.
func (f *folders) copyNext(id string) (*Progress, error) {
	made, err := os.Stat(f.snapshot(id))
	if err != nil {
		return nil, fmt.Errorf("operation ID %s is invalid", id)
	}
	entries, err := os.ReadDir(f.source(id))
	if err != nil {
		return nil, err
	}
	how := &Progress{Goal: int64(len(entries)), Unit: "files", Words: "copying", Began: timestamppb.New(made.ModTime()), Seen: timestamppb.Now()}
	for _, entry := range entries {
		how.Reached++
		target := filepath.Join(f.snapshot(id), entry.Name())
		if _, err := os.Stat(target); err == nil {
			continue
		}
		switch entry.Name() {
		case "broken":
			how.Done, how.Failure = true, "the file cannot be read"
			return how, nil
		case "endless":
			how.Reached--
			return how, nil
		}
		content, err := os.ReadFile(filepath.Join(f.source(id), entry.Name()))
		if err != nil {
			return nil, err
		}
		return how, os.WriteFile(target, content, 0o644)
	}
	how.Done = true
	return how, nil
}
