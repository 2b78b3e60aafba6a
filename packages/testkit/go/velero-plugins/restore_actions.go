package main

import (
	"fmt"
	"os"
	"time"

	"github.com/sirupsen/logrus"
	api "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework/common"
	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type restoreOutput = velero.RestoreItemActionExecuteOutput

func unchanged(item *unstructured.Unstructured) *restoreOutput {
	return velero.NewRestoreItemActionExecuteOutput(item)
}

// restoreBehaviours are what a v1 restore action can do, by the value of the label "example.io/ria1".
var restoreBehaviours = map[string]func(*unstructured.Unstructured) (*restoreOutput, error){
	"annotate": func(item *unstructured.Unstructured) (*restoreOutput, error) {
		annotate(item, "example.io/seen-by", "ria1")
		return unchanged(item), nil
	},
	"additional": func(item *unstructured.Unstructured) (*restoreOutput, error) {
		output := unchanged(item)
		output.AdditionalItems = itemsNamedIn(item, "example.io/additional")
		return output, nil
	},
	"skip": func(item *unstructured.Unstructured) (*restoreOutput, error) {
		return unchanged(item).WithoutRestore(), nil
	},
	"fail": func(*unstructured.Unstructured) (*restoreOutput, error) {
		return nil, fmt.Errorf("this item is refused")
	},
	"panic": func(*unstructured.Unstructured) (*restoreOutput, error) { panic("this item makes it panic") },
	"exit": func(*unstructured.Unstructured) (*restoreOutput, error) {
		os.Exit(3)
		return nil, nil
	},
}

type restoreAction struct {
	log       logrus.FieldLogger
	behaviour string
}

func newRestoreAction(behaviour string) common.HandlerInitializer {
	return func(log logrus.FieldLogger) (any, error) { return &restoreAction{log, behaviour}, nil }
}

func (a *restoreAction) AppliesTo() (velero.ResourceSelector, error) {
	return labelled("ria1", a.behaviour)
}

func (a *restoreAction) Execute(input *velero.RestoreItemActionExecuteInput) (*restoreOutput, error) {
	item := objectOf(input.Item)
	recordCall("ria1-%s %s", a.behaviour, nameOf(item))
	return restoreBehaviours[a.behaviour](item)
}

// asyncRestore is what the v2 restore actions share: operations kept in files, and items that are always ready.
type asyncRestore struct{ log logrus.FieldLogger }

func (asyncRestore) Name() string { return "ria2" }

func (asyncRestore) Progress(id string, _ *api.Restore) (velero.OperationProgress, error) {
	return progressOf(id)
}

func (asyncRestore) Cancel(id string, _ *api.Restore) error { return cancelOperation(id) }

func (asyncRestore) AreAdditionalItemsReady([]velero.ResourceIdentifier, *api.Restore) (bool, error) {
	return true, nil
}

type restoreOperation struct{ asyncRestore }

func newRestoreOperation(log logrus.FieldLogger) *restoreOperation {
	return &restoreOperation{asyncRestore{log}}
}

func (*restoreOperation) AppliesTo() (velero.ResourceSelector, error) {
	return labelled("ria2", "operation")
}

func (*restoreOperation) Execute(input *velero.RestoreItemActionExecuteInput) (*restoreOutput, error) {
	item := objectOf(input.Item)
	recordCall("ria2-operation %s", nameOf(item))
	id := input.Restore.Name + "." + item.GetNamespace() + "." + item.GetName()
	if err := startOperation(id, item.GetAnnotations()); err != nil {
		return nil, err
	}
	output := unchanged(item).WithOperationID(id)
	output.SkipRestore = item.GetAnnotations()["example.io/skip-restore"] == "true"
	return output, nil
}

// waitingAction holds its item back until the additional items that it names are ready: after "example.io/ready-after"
// questions, or never ("never"), or with an error ("error"). "example.io/ready-timeout" is the output's own timeout.
type waitingAction struct{ asyncRestore }

func newWaitingAction(log logrus.FieldLogger) *waitingAction {
	return &waitingAction{asyncRestore{log}}
}

func (*waitingAction) AppliesTo() (velero.ResourceSelector, error) { return labelled("ria2", "wait") }

func (*waitingAction) Execute(input *velero.RestoreItemActionExecuteInput) (*restoreOutput, error) {
	item := objectOf(input.Item)
	recordCall("ria2-wait %s", nameOf(item))
	output := unchanged(item).WithItemsWait()
	output.AdditionalItems = itemsNamedIn(item, "example.io/additional")
	annotations := item.GetAnnotations()
	if text := annotations["example.io/ready-timeout"]; text != "" {
		timeout, err := time.ParseDuration(text)
		if err != nil {
			return nil, err
		}
		output.AdditionalItemsReadyTimeout = timeout
	}
	return output, startReadiness(input.Restore.Name, output.AdditionalItems, annotations)
}

// The question names only the items, so readiness is kept by the first of them.
func readinessID(restore string, items []velero.ResourceIdentifier) string {
	if len(items) == 0 {
		return restore + ".ready"
	}
	return restore + ".ready." + items[0].Namespace + "." + items[0].Name
}

func startReadiness(restore string, items []velero.ResourceIdentifier, annotations map[string]string) error {
	ready := operation{Started: time.Now()}
	switch after := annotations["example.io/ready-after"]; after {
	case "never", "error":
		ready.Outcome = after
	default:
		fmt.Sscanf(after, "%d", &ready.Polls)
	}
	return ready.save(readinessID(restore, items))
}

func (*waitingAction) AreAdditionalItemsReady(items []velero.ResourceIdentifier, restore *api.Restore) (bool, error) {
	recordCall("ready? %d items", len(items))
	id := readinessID(restore.Name, items)
	found, err := loadOperation(id)
	if err != nil {
		return false, err
	}
	if found.Outcome == "error" {
		return false, fmt.Errorf("readiness cannot be told")
	}
	found.Asked++
	return found.Outcome != "never" && found.Asked > found.Polls, found.save(id)
}
