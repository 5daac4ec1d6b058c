// SPDX-License-Identifier: Apache-2.0

// Command roadstead-crdcheck tells what a change of CustomResourceDefinitions breaks.
package main

import (
	"context"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	_ "time/tzdata" // rules of definitions and templates of charts may name zones, and images have no file of zones

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/cli/crdcheck"
)

func main() {
	// What libraries log is for no one here: all that matters is in the findings or in the one line of an error.
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	// It ends soon, and large definitions are many small objects: collecting them would take a third of the time.
	debug.SetGCPercent(400)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := crdcheck.Execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
