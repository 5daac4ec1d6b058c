// SPDX-License-Identifier: Apache-2.0

// Command roadstead-apiserver serves the Roadstead APIs.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	_ "time/tzdata" // policies of the cluster may ask for the hour in a zone, and images have no file of zones

	genericapiserver "k8s.io/apiserver/pkg/server"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/apiserver/storecmd"
)

func main() {
	// A request leaves much that is short-lived beside a small live heap. Collecting half as often saves some percent of
	// the CPU for the memory of one more live heap at most; GOGC and GOMEMLIMIT say otherwise.
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
