package main

import (
	"strings"

	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// labelled selects the objects with the label "example.io/<kind>: <value>".
func labelled(kind, value string) (velero.ResourceSelector, error) {
	return velero.ResourceSelector{LabelSelector: "example.io/" + kind + "=" + value}, nil
}

func objectOf(item runtime.Unstructured) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: item.UnstructuredContent()}
}

func annotate(object *unstructured.Unstructured, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}

// itemsNamedIn reads identifiers from an annotation: "configmaps/shop/settings, widgets.example.io//shared".
func itemsNamedIn(object *unstructured.Unstructured, annotation string) []velero.ResourceIdentifier {
	items := []velero.ResourceIdentifier{}
	for entry := range strings.SplitSeq(object.GetAnnotations()[annotation], ",") {
		parts := strings.Split(strings.TrimSpace(entry), "/")
		if len(parts) == 3 {
			items = append(items, velero.ResourceIdentifier{
				GroupResource: schema.ParseGroupResource(parts[0]), Namespace: parts[1], Name: parts[2],
			})
		}
	}
	return items
}

func nameOf(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + object.GetNamespace() + "/" + object.GetName()
}
