// SPDX-License-Identifier: Apache-2.0

// Command roadstead-crdcheck reports what a change of CustomResourceDefinitions breaks.
package main

import (
	"context"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	_ "time/tzdata" // rules of CRDs and templates of charts may use time zones, and the images have no time zone files

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/cli/crdcheck"
)

func main() {
	// The logs of libraries are discarded: the findings or the error message contain everything
	// that is relevant.
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	// The process is short-lived, and large CRDs are many small objects: garbage collection would
	// take a third of the time.
	debug.SetGCPercent(400)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := crdcheck.Execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
