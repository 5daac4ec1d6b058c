// SPDX-License-Identifier: Apache-2.0

// Command roadstead-controller reconciles the objects of the Roadstead APIs.
package main

import (
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"roadstead.dev/roadstead/pkg/controllers/manager"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
)

func main() {
	// This must be first: a child process for untrusted input reads no flags and no environment
	// variables.
	sandbox.Main(os.Args, manager.SandboxHandlers())
	if err := manager.NewCommand().ExecuteContext(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "roadstead-controller:", err)
		os.Exit(1)
	}
}
