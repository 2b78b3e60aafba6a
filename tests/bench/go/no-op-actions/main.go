// Command no-op-actions is a plugin on Velero's framework that is asked about every item and changes none: what a
// server pays for one external action.
package main

import (
	"github.com/sirupsen/logrus"
	api "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework"
	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	"k8s.io/apimachinery/pkg/runtime"
)

func main() {
	framework.NewServer().
		RegisterBackupItemActionV2("example.io/no-op-backup", func(logrus.FieldLogger) (any, error) { return &backupAction{}, nil }).
		RegisterRestoreItemActionV2("example.io/no-op-restore", func(logrus.FieldLogger) (any, error) { return &restoreAction{}, nil }).
		Serve()
}

// everyItem is what both actions share: they are asked about all items and start no operation.
type everyItem struct{}

func (everyItem) Name() string { return "" }

func (everyItem) AppliesTo() (velero.ResourceSelector, error) { return velero.ResourceSelector{}, nil }

type backupAction struct{ everyItem }

func (*backupAction) Execute(item runtime.Unstructured, _ *api.Backup) (runtime.Unstructured, []velero.ResourceIdentifier, string, []velero.ResourceIdentifier, error) {
	return item, nil, "", nil, nil
}

func (*backupAction) Progress(string, *api.Backup) (velero.OperationProgress, error) {
	return velero.OperationProgress{Completed: true}, nil
}

func (*backupAction) Cancel(string, *api.Backup) error { return nil }

type restoreAction struct{ everyItem }

func (*restoreAction) Execute(input *velero.RestoreItemActionExecuteInput) (*velero.RestoreItemActionExecuteOutput, error) {
	return velero.NewRestoreItemActionExecuteOutput(input.Item), nil
}

func (*restoreAction) Progress(string, *api.Restore) (velero.OperationProgress, error) {
	return velero.OperationProgress{Completed: true}, nil
}

func (*restoreAction) Cancel(string, *api.Restore) error { return nil }

func (*restoreAction) AreAdditionalItemsReady([]velero.ResourceIdentifier, *api.Restore) (bool, error) {
	return true, nil
}
