// SPDX-License-Identifier: Apache-2.0

// Command kubectl-roadstead is a kubectl plugin that reports which objects of Roadstead are not
// ready, and why.
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
	// The logs of libraries are discarded: the output or the error message contains everything that
	// is relevant.
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := kubectl.Execute(ctx, os.Args[1:], genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr})
	stop()
	os.Exit(code)
}
