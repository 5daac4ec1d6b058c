// SPDX-License-Identifier: Apache-2.0

// Command roadstead-apiserver serves the Roadstead APIs.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	_ "time/tzdata" // policies of the cluster may use time zones, and the images have no time zone files

	genericapiserver "k8s.io/apiserver/pkg/server"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/apiserver/storecmd"
)

func main() {
	// Requests allocate many short-lived objects compared with the small live heap. Collecting half
	// as often saves some percent of the CPU, and costs at most the memory of another live heap.
	// GOGC and GOMEMLIMIT override this.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	command := options.NewCommand()
	command.AddCommand(storecmd.Commands()...)
	if err := command.ExecuteContext(genericapiserver.SetupSignalContext()); err != nil {
		fmt.Fprintln(os.Stderr, "roadstead-apiserver:", err)
		os.Exit(1)
	}
}
