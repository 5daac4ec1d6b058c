// SPDX-License-Identifier: Apache-2.0

// Command roadstead-apiserver serves the Roadstead APIs.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // policies of the cluster may ask for the hour in a zone, and images have no file of zones

	genericapiserver "k8s.io/apiserver/pkg/server"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/apiserver/storecmd"
)

func main() {
	command := options.NewCommand()
	command.AddCommand(storecmd.Commands()...)
	if err := command.ExecuteContext(genericapiserver.SetupSignalContext()); err != nil {
		fmt.Fprintln(os.Stderr, "roadstead-apiserver:", err)
		os.Exit(1)
	}
}
