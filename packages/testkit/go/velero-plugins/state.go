package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
)

func stateDir() string {
	if dir := os.Getenv("PLUGIN_STATE_DIR"); dir != "" {
		return dir
	}
	return os.TempDir()
}

// recordCall appends a line to the file "calls", one write a line, so that several processes may record at once.
func recordCall(format string, args ...any) {
	file, err := os.OpenFile(filepath.Join(stateDir(), "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer file.Close()
	fmt.Fprintf(file, format+"\n", args...)
}

// operation is what is known about a running operation. It completes when it was asked for Polls times; Outcome says
// how: "" or "completed", "failed", "never", or "error" when asking itself fails.
type operation struct {
	Polls    int
	Asked    int
	Outcome  string
	Canceled bool
	Started  time.Time
}

func operationFile(id string) string {
	return filepath.Join(stateDir(), "operation-"+strings.ReplaceAll(id, "/", "_")+".json")
}

func (o operation) save(id string) error {
	content, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(operationFile(id), content, 0o644)
}

func loadOperation(id string) (operation, error) {
	content, err := os.ReadFile(operationFile(id))
	if err != nil {
		return operation{}, fmt.Errorf("operation %s is not known", id)
	}
	var found operation
	return found, json.Unmarshal(content, &found)
}

// startOperation reads how the operation shall go from the item's annotations.
func startOperation(id string, annotations map[string]string) error {
	started := operation{Outcome: annotations["example.io/outcome"], Started: time.Now()}
	fmt.Sscanf(annotations["example.io/polls"], "%d", &started.Polls)
	return started.save(id)
}

func progressOf(id string) (velero.OperationProgress, error) {
	found, err := loadOperation(id)
	if err != nil {
		return velero.OperationProgress{}, err
	}
	found.Asked++
	if err := found.save(id); err != nil {
		return velero.OperationProgress{}, err
	}
	if found.Outcome == "error" {
		return velero.OperationProgress{}, fmt.Errorf("operation %s cannot be asked about", id)
	}
	progress := velero.OperationProgress{
		NCompleted: int64(min(found.Asked, found.Polls)), NTotal: int64(found.Polls), OperationUnits: "polls",
		Description: "asked and asked again", Started: found.Started, Updated: found.Started,
	}
	switch {
	case found.Canceled:
		progress.Completed, progress.Err = true, "canceled"
	case found.Outcome == "never" || found.Asked < found.Polls:
	case found.Outcome == "failed":
		progress.Completed, progress.Err = true, "the operation failed"
	default:
		progress.Completed = true
	}
	return progress, nil
}

func cancelOperation(id string) error {
	recordCall("Cancel %s", id)
	found, err := loadOperation(id)
	if err != nil {
		return err
	}
	found.Canceled = true
	return found.save(id)
}
