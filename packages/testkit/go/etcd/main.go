// Package main runs etcd from its Go module, as the real API server's storage in the peers tests.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
