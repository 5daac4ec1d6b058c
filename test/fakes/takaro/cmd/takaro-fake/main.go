// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "takaro-fake:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done. It prints the admin token only if it was generated, because the
// user has no other way to learn it.
func run(ctx context.Context, args []string, out io.Writer) error {
	var opts takaro.Options
	flags := flag.NewFlagSet("takaro-fake", flag.ContinueOnError)
	flags.StringVar(&opts.Listen, "listen", "127.0.0.1:3000", "address to listen on; port 0 takes a free one")
	flags.StringVar(&opts.ConnectorListen, "connector-listen", "",
		"address of the connector's WebSocket, for game servers; empty: no connector")
	flags.StringVar(&opts.AdminToken, "admin-token", "", "what X-Takaro-Admin-Token must carry; empty: a random one is made and printed")
	flags.DurationVar(&opts.Latency, "latency", 0, "added to every answer")
	flags.DurationVar(&opts.CreateLatency, "create-latency", 0, "how long the creation of a domain takes")
	flags.BoolVar(&opts.Control, "control", false, "enable /__control/ (faults, requests, domains): without credentials, for tests only")
	asReal := flags.Bool("as-real", false,
		"do what a real Takaro does where the stand-in by default does not, slow creates included; see README.md")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: this command takes flags only", flags.Arg(0))
	}
	if *asReal {
		opts.Realism = takaro.FullRealism()
	}
	s := takaro.New(opts)
	if *asReal {
		if err := s.SetCreateTime(takaro.RealCreateTime); err != nil {
			return err
		}
	}
	if err := s.Start(); err != nil {
		return err
	}
	defer s.Close()
	if _, err := fmt.Fprintln(out, s.URL()); err != nil {
		return err
	}
	if opts.AdminToken == "" {
		if _, err := fmt.Fprintln(out, "admin token:", s.AdminToken()); err != nil {
			return err
		}
	}
	if opts.ConnectorListen != "" {
		if _, err := fmt.Fprintln(out, "connector:", s.ConnectorURL()); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}
