package main

import (
	"fmt"

	"github.com/sirupsen/logrus"
	api "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	"k8s.io/apimachinery/pkg/runtime"
)

// deleteRecorder writes down what is deleted with a backup.
type deleteRecorder struct{ log logrus.FieldLogger }

func newDeleteRecorder(log logrus.FieldLogger) *deleteRecorder { return &deleteRecorder{log} }

func (*deleteRecorder) AppliesTo() (velero.ResourceSelector, error) {
	return labelled("delete", "record")
}

func (*deleteRecorder) Execute(input *velero.DeleteItemActionExecuteInput) error {
	recordCall("delete %s of %s", nameOf(objectOf(input.Item)), input.Backup.Name)
	return nil
}

type deleteFailer struct{ log logrus.FieldLogger }

func newDeleteFailer(log logrus.FieldLogger) *deleteFailer { return &deleteFailer{log} }

func (*deleteFailer) AppliesTo() (velero.ResourceSelector, error) { return labelled("delete", "fail") }

func (*deleteFailer) Execute(*velero.DeleteItemActionExecuteInput) error {
	return fmt.Errorf("this item cannot be deleted")
}

// relatedItems puts the items of the annotation "example.io/related" into one block with the item.
type relatedItems struct{ log logrus.FieldLogger }

func newRelatedItems(log logrus.FieldLogger) *relatedItems { return &relatedItems{log} }

func (*relatedItems) Name() string { return "related" }

func (*relatedItems) AppliesTo() (velero.ResourceSelector, error) {
	return labelled("block", "related")
}

func (*relatedItems) GetRelatedItems(item runtime.Unstructured, _ *api.Backup) ([]velero.ResourceIdentifier, error) {
	object := objectOf(item)
	recordCall("related %s", nameOf(object))
	return itemsNamedIn(object, "example.io/related"), nil
}

type relatedFailer struct{ log logrus.FieldLogger }

func newRelatedFailer(log logrus.FieldLogger) *relatedFailer { return &relatedFailer{log} }

func (*relatedFailer) Name() string { return "related-fail" }

func (*relatedFailer) AppliesTo() (velero.ResourceSelector, error) { return labelled("block", "fail") }

func (*relatedFailer) GetRelatedItems(runtime.Unstructured, *api.Backup) ([]velero.ResourceIdentifier, error) {
	return nil, fmt.Errorf("related items cannot be told")
}
