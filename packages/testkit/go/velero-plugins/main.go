// Package main serves the plugins that tests load into real Velero and into jibe: an object store and a volume
// snapshotter on files, and item actions of every kind and version.
//
// An action sees only objects that ask for it by the label "example.io/<kind>", such as "example.io/bia1: fail"; what it
// then does is written in the object's annotations. So one plugin program serves every test, and tests do not disturb
// one another. Operations and calls are kept in files below $PLUGIN_STATE_DIR, because Execute, Progress and Cancel may
// run in different processes.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/sirupsen/logrus"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework/common"
)

// serve wraps a constructor that needs nothing but a logger.
func serve[T any](construct func(logrus.FieldLogger) T) common.HandlerInitializer {
	return func(log logrus.FieldLogger) (any, error) { return construct(log), nil }
}

// main serves the stores when the program's name contains "stores", the actions when it contains "actions", and all
// of them otherwise: copied under both names, an action that ends its process does not take the stores with it.
func main() {
	name := filepath.Base(os.Args[0])
	server := framework.NewServer()
	if !strings.Contains(name, "actions") {
		registerStores(server)
	}
	if !strings.Contains(name, "stores") {
		registerActions(server)
	}
	server.Serve()
}

func registerStores(server framework.Server) {
	server.RegisterObjectStore("example.io/filesystem", serve(newFileStore)).
		RegisterVolumeSnapshotter("example.io/volumes", serve(newFileVolumes))
}

func registerActions(server framework.Server) {
	for behaviour := range backupBehaviours {
		server.RegisterBackupItemAction("example.io/bia1-"+behaviour, newBackupAction(behaviour))
	}
	for behaviour := range restoreBehaviours {
		server.RegisterRestoreItemAction("example.io/ria1-"+behaviour, newRestoreAction(behaviour))
	}
	server.RegisterBackupItemActionV2("example.io/bia2-operation", serve(newBackupOperation)).
		RegisterBackupItemActionV2("example.io/bia2-lost", serve(newLostOperation)).
		RegisterRestoreItemActionV2("example.io/ria2-operation", serve(newRestoreOperation)).
		RegisterRestoreItemActionV2("example.io/ria2-wait", serve(newWaitingAction)).
		RegisterDeleteItemAction("example.io/delete-record", serve(newDeleteRecorder)).
		RegisterDeleteItemAction("example.io/delete-fail", serve(newDeleteFailer)).
		RegisterItemBlockAction("example.io/related", serve(newRelatedItems)).
		RegisterItemBlockAction("example.io/related-fail", serve(newRelatedFailer))
}
