// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/pflag"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH"), os.Stdout)
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

// run builds the requested images, writes them, pushes them if requested, and prints one line for
// each image.
func run(ctx context.Context, args []string, sourceDate string, stdout io.Writer) error {
	o, err := parse(args, sourceDate)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "roadstead-images-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	b, err := newBuilder(o, scratch)
	if err != nil {
		return err
	}
	for _, p := range o.programs {
		built, err := b.build(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		folder := filepath.Join(o.out, p.name)
		if err := writeLayout(folder, o.version, built); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		digest, err := built.index.Digest()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		_, _ = fmt.Fprintf(stdout, "%s %s@%s\n", folder, o.version, digest)
		if o.push == "" {
			continue
		}
		tag, err := push(ctx, o.push, p.name, o.version, built)
		if err != nil {
			return fmt.Errorf("%s: push: %w", p.name, err)
		}
		_, _ = fmt.Fprintf(stdout, "pushed %s@%s\n", tag, digest)
	}
	return nil
}
