// SPDX-License-Identifier: Apache-2.0

// Command kubectl-roadstead is a plugin of kubectl that tells what of Roadstead is not ready, and why.
package main

import (
	"context"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/cli/kubectl"
)

func main() {
	// What libraries log is for no one here: all that matters is in the answer or in the one line of an error.
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := kubectl.Execute(ctx, os.Args[1:], genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr})
	stop()
	os.Exit(code)
}
