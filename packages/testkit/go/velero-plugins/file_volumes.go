package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// fileVolumes knows a volume by the annotation "example.io/volume-id" of its PersistentVolume and keeps snapshots as
// files below <config root>/snapshots. Identifiers follow from one another, so that two runs give the same ones.
// A volume whose identifier contains "broken" cannot be snapshot, one that contains "lost" cannot be made again.
type fileVolumes struct {
	log  logrus.FieldLogger
	root string
}

const volumeIDAnnotation = "example.io/volume-id"

func newFileVolumes(log logrus.FieldLogger) *fileVolumes { return &fileVolumes{log: log} }

func (v *fileVolumes) Init(config map[string]string) error {
	v.root = config["root"]
	if v.root == "" {
		return fmt.Errorf("the location's config needs a root, the folder of its snapshots")
	}
	return os.MkdirAll(filepath.Join(v.root, "snapshots"), 0o755)
}

func (v *fileVolumes) GetVolumeID(pv runtime.Unstructured) (string, error) {
	object := unstructured.Unstructured{Object: pv.UnstructuredContent()}
	return object.GetAnnotations()[volumeIDAnnotation], nil
}

func (v *fileVolumes) SetVolumeID(pv runtime.Unstructured, volumeID string) (runtime.Unstructured, error) {
	object := &unstructured.Unstructured{Object: pv.UnstructuredContent()}
	annotate(object, volumeIDAnnotation, volumeID)
	return object, nil
}

func (v *fileVolumes) GetVolumeInfo(volumeID, _ string) (string, *int64, error) {
	if strings.HasPrefix(volumeID, "fast-") {
		iops := int64(300)
		return "fast", &iops, nil
	}
	return "plain", nil, nil
}

func (v *fileVolumes) snapshotFile(snapshotID string) string {
	return filepath.Join(v.root, "snapshots", snapshotID+".json")
}

func (v *fileVolumes) CreateSnapshot(volumeID, volumeAZ string, tags map[string]string) (string, error) {
	recordCall("CreateSnapshot %s zone=%q tags=%d", volumeID, volumeAZ, len(tags))
	if strings.Contains(volumeID, "broken") {
		return "", fmt.Errorf("volume %s is broken", volumeID)
	}
	snapshotID := "snapshot-of-" + volumeID
	content, err := json.Marshal(map[string]any{"volume": volumeID, "zone": volumeAZ, "tags": tags})
	if err != nil {
		return "", err
	}
	return snapshotID, os.WriteFile(v.snapshotFile(snapshotID), content, 0o644)
}

func (v *fileVolumes) CreateVolumeFromSnapshot(snapshotID, volumeType, volumeAZ string, _ *int64) (string, error) {
	recordCall("CreateVolumeFromSnapshot %s type=%s zone=%q", snapshotID, volumeType, volumeAZ)
	if strings.Contains(snapshotID, "lost") {
		return "", fmt.Errorf("snapshot %s is lost", snapshotID)
	}
	if _, err := os.Stat(v.snapshotFile(snapshotID)); err != nil {
		return "", err
	}
	return "volume-from-" + snapshotID, nil
}

func (v *fileVolumes) DeleteSnapshot(snapshotID string) error {
	recordCall("DeleteSnapshot %s", snapshotID)
	return os.Remove(v.snapshotFile(snapshotID))
}
