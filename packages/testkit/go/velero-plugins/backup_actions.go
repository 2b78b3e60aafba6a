package main

import (
	"fmt"
	"os"

	"github.com/sirupsen/logrus"
	api "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework/common"
	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

type backupOutcome struct {
	item  *unstructured.Unstructured
	items []velero.ResourceIdentifier
	err   error
}

// backupBehaviours are what a v1 backup action can do, by the value of the label "example.io/bia1".
var backupBehaviours = map[string]func(*unstructured.Unstructured) backupOutcome{
	"annotate": func(item *unstructured.Unstructured) backupOutcome {
		annotate(item, "example.io/seen-by", "bia1")
		return backupOutcome{item: item}
	},
	"additional": func(item *unstructured.Unstructured) backupOutcome {
		return backupOutcome{item: item, items: itemsNamedIn(item, "example.io/additional")}
	},
	"must-include": func(item *unstructured.Unstructured) backupOutcome {
		annotate(item, "backup.velero.io/must-include-additional-items", "true")
		return backupOutcome{item: item, items: itemsNamedIn(item, "example.io/additional")}
	},
	"skip": func(item *unstructured.Unstructured) backupOutcome {
		annotate(item, "velero.io/skip-from-backup", "true")
		return backupOutcome{item: item}
	},
	"rename": func(item *unstructured.Unstructured) backupOutcome {
		item.SetName(item.GetName() + "-renamed")
		return backupOutcome{item: item}
	},
	"fail": func(*unstructured.Unstructured) backupOutcome {
		return backupOutcome{err: fmt.Errorf("this item is refused")}
	},
	"panic": func(*unstructured.Unstructured) backupOutcome { panic("this item makes it panic") },
	"exit": func(*unstructured.Unstructured) backupOutcome {
		os.Exit(3)
		return backupOutcome{}
	},
}

type backupAction struct {
	log       logrus.FieldLogger
	behaviour string
}

func newBackupAction(behaviour string) common.HandlerInitializer {
	return func(log logrus.FieldLogger) (any, error) { return &backupAction{log, behaviour}, nil }
}

func (a *backupAction) AppliesTo() (velero.ResourceSelector, error) {
	return labelled("bia1", a.behaviour)
}

func (a *backupAction) Execute(item runtime.Unstructured, backup *api.Backup) (runtime.Unstructured, []velero.ResourceIdentifier, error) {
	object := objectOf(item)
	recordCall("bia1-%s %s", a.behaviour, nameOf(object))
	outcome := backupBehaviours[a.behaviour](object)
	return outcome.item, outcome.items, outcome.err
}

// backupOperation starts an operation for the item and names the items to update after it.
type backupOperation struct{ log logrus.FieldLogger }

func newBackupOperation(log logrus.FieldLogger) *backupOperation { return &backupOperation{log} }

func (*backupOperation) Name() string { return "bia2-operation" }

func (*backupOperation) AppliesTo() (velero.ResourceSelector, error) {
	return labelled("bia2", "operation")
}

func (*backupOperation) Execute(item runtime.Unstructured, backup *api.Backup) (runtime.Unstructured, []velero.ResourceIdentifier, string, []velero.ResourceIdentifier, error) {
	object := objectOf(item)
	recordCall("bia2-operation %s %s", nameOf(object), backup.Status.Phase)
	additional := itemsNamedIn(object, "example.io/additional")
	if backup.Status.Phase == api.BackupPhaseFinalizing || backup.Status.Phase == api.BackupPhaseFinalizingPartiallyFailed {
		annotate(object, "example.io/finalized", "true")
		return object, nil, "", nil, nil
	}
	id := backup.Name + "." + object.GetNamespace() + "." + object.GetName()
	if err := startOperation(id, object.GetAnnotations()); err != nil {
		return nil, nil, "", nil, err
	}
	return object, additional, id, itemsNamedIn(object, "example.io/post-operation"), nil
}

func (*backupOperation) Progress(id string, _ *api.Backup) (velero.OperationProgress, error) {
	return progressOf(id)
}

func (*backupOperation) Cancel(id string, _ *api.Backup) error { return cancelOperation(id) }

// lostOperation gives out an operation that nobody knows anything about.
type lostOperation struct{ backupOperation }

func newLostOperation(log logrus.FieldLogger) *lostOperation {
	return &lostOperation{backupOperation{log}}
}

func (*lostOperation) AppliesTo() (velero.ResourceSelector, error) { return labelled("bia2", "lost") }

func (*lostOperation) Execute(item runtime.Unstructured, _ *api.Backup) (runtime.Unstructured, []velero.ResourceIdentifier, string, []velero.ResourceIdentifier, error) {
	return item, nil, "lost-" + objectOf(item).GetName(), nil, nil
}
