// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/tools/clientcmd"

	"roadstead.dev/roadstead/test/peer"
)

// Files below the working directory, which is the root of the checkout.
const (
	resultsFile = "test/bench/results.json"
	partFile    = "bin/bench-results.json"
	pageFile    = "docs/performance.md"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command runs the benchmark or a subcommand: "webhook" is the webhook of the CRDs, a separate
// process so that its CPU can be measured; "page" writes the table into the documentation.
func command(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "webhook" {
		return webhookCommand(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == "page" {
		return pageCommand(args[1:])
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	what := flags.String("bench", os.Getenv("BENCH"), `"short", or names of measures with commas between; empty: all of all.`)
	out := flags.String("out", "", "File for the results. Empty: "+resultsFile+" for all of all, which the documentation quotes, else "+
		partFile+".")
	bin := flags.String("bin", "bin", "Folder of the built programs: with another one a change is compared with what was before.")
	profiles := flags.String("profiles", "",
		"Folder for CPU profiles of both API servers while turns are taken, to be read with go tool pprof. Taking them costs time.")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *profiles != "" {
		if err := os.MkdirAll(*profiles, 0o755); err != nil {
			return err
		}
	}
	selected, plan, err := selection(*what)
	if err != nil {
		return err
	}
	if *out == "" {
		*out = partFile
		if *what == "" {
			*out = resultsFile
		}
	}
	return bench(ctx, *what, selected, plan, *bin, *profiles, *out)
}

func webhookCommand(ctx context.Context, args []string) error {
	var options peer.WebhookOptions
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "Kubeconfig of the cluster.")
	flags.IntVar(&options.Port, "port", 0, "Port for reviews.")
	flags.StringVar(&options.CertDir, "cert-dir", "", "Folder with tls.crt and tls.key.")
	flags.StringVar(&options.HealthAddress, "health-address", "", "Address that serves /readyz.")
	flags.StringVar(&options.ProfileAddress, "profile-address", "", "Address that serves profiles.")
	if err := flags.Parse(args); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	return peer.RunWebhook(ctx, config, options)
}
