// Command velero-peer is a small plugin on Velero's framework and, started as "velero-peer bench COMMAND CALLS IN_FLIGHT",
// a host that calls its no-op action as Velero does and prints the seconds that the calls took.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/sirupsen/logrus"
	api "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework"
	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	biav2 "github.com/vmware-tanzu/velero/pkg/plugin/velero/backupitemaction/v2"
	"k8s.io/apimachinery/pkg/runtime"
)

const noop, hang = "example.io/no-op", "example.io/hang"

func main() {
	if len(os.Args) == 5 && os.Args[1] == "bench" {
		calls, _ := strconv.Atoi(os.Args[3])
		inFlight, _ := strconv.Atoi(os.Args[4])
		seconds, err := bench(os.Args[2], calls, inFlight)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(seconds)
		return
	}
	framework.NewServer().
		RegisterBackupItemActionV2(noop, func(logrus.FieldLogger) (any, error) { return &action{}, nil }).
		RegisterBackupItemActionV2(hang, func(log logrus.FieldLogger) (any, error) { return &action{log}, nil }).
		Serve()
}

// action returns the item as it is. With a logger it says so and then never returns.
type action struct{ log logrus.FieldLogger }

func (*action) Name() string { return "" }

func (*action) AppliesTo() (velero.ResourceSelector, error) { return velero.ResourceSelector{}, nil }

func (a *action) Execute(item runtime.Unstructured, _ *api.Backup) (runtime.Unstructured, []velero.ResourceIdentifier, string, []velero.ResourceIdentifier, error) {
	if a.log != nil {
		a.log.WithField("namespace", "shop").Warn("hanging")
		time.Sleep(time.Hour)
	}
	return item, nil, "", nil, nil
}

func (*action) Progress(operationID string, _ *api.Backup) (velero.OperationProgress, error) {
	switch operationID {
	case "unknown":
		return velero.OperationProgress{}, biav2.InvalidOperationIDError(operationID)
	case "none":
		return velero.OperationProgress{}, biav2.AsyncOperationsNotSupportedError()
	}
	return velero.OperationProgress{Completed: true}, nil
}

func (*action) Cancel(string, *api.Backup) error { return nil }
