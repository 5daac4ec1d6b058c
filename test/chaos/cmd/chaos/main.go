// SPDX-License-Identifier: Apache-2.0

// Command chaos injects faults into a complete installation while clients use it, and reports which
// invariants were violated.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/disk"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/run"
	"roadstead.dev/roadstead/test/chaos/world"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	ctrl.SetLogger(klog.Background())
	if err := chaos(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// flags are the flags of the command.
type flags struct {
	seed     uint64
	length   time.Duration
	settle   time.Duration
	clients  int
	faults   string
	dir, bin string
	onlyPlan bool
	disk     bool
}

func parse(args []string) (flags, error) {
	var f flags
	set := flag.NewFlagSet("chaos", flag.ContinueOnError)
	set.Uint64Var(&f.seed, "seed", 0, "Decides what happens and when; the same one gives the same plan. 0: one from the clock.")
	set.DurationVar(&f.length, "time", 10*time.Minute, "How long clients work while faults hit.")
	set.DurationVar(&f.settle, "settle", 8*time.Minute, "How long all may take to converge after the last fault.")
	set.IntVar(&f.clients, "clients", 3, "How many clients work at once.")
	set.StringVar(&f.faults, "faults", "", "Comma-separated kinds of faults. Empty: all.")
	set.StringVar(&f.dir, "dir", "", "Folder for logs and data, which stays. Empty: a new one in the temporary folder.")
	set.StringVar(&f.bin, "bin-dir", "bin", "Folder of roadstead-apiserver and roadstead-controller.")
	set.BoolVar(&f.onlyPlan, "plan", false, "Print the whole plan and end.")
	set.BoolVar(&f.disk, "disk", true, "Fill the disk of an embedded store before the run.")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if f.seed == 0 {
		f.seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	return f, nil
}

func (f flags) plan() plan.Options {
	options := plan.Options{Seed: f.seed, Length: f.length, Clients: f.clients}
	for kind := range strings.SplitSeq(f.faults, ",") {
		if kind != "" {
			options.Faults = append(options.Faults, plan.FaultKind(kind))
		}
	}
	return options
}

// errViolated makes the command fail after the violations were printed.
var errViolated = errors.New("invariants were violated")

func chaos(ctx context.Context, args []string, out io.Writer) error {
	f, err := parse(args)
	if err != nil {
		return err
	}
	if err := f.plan().Check(); err != nil {
		return err
	}
	if f.onlyPlan {
		return plan.New(f.plan()).Print(out, true)
	}
	if f.dir, err = folder(f.dir); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(f.dir, "chaos.log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	out = io.MultiWriter(out, log)
	found, err := f.run(ctx, out)
	for _, v := range found {
		_, _ = fmt.Fprintf(out, "seed %d: violation: %s\n", f.seed, v)
	}
	_, _ = fmt.Fprintf(out, "seed %d: %d violations; logs are in %s\n", f.seed, len(found), f.dir)
	if len(found) > 0 {
		return errors.Join(err, fmt.Errorf("seed %d: %w", f.seed, errViolated))
	}
	return err
}

func (f flags) run(ctx context.Context, out io.Writer) ([]check.Violation, error) {
	var found []check.Violation
	if f.disk {
		var err error
		if found, err = disk.Run(ctx, disk.Options{Dir: filepath.Join(f.dir, "disk"), BinDir: f.bin, Out: out}); err != nil {
			return found, fmt.Errorf("full disk: %w", err)
		}
	}
	more, err := run.Run(ctx, run.Options{Plan: f.plan(), World: world.Options{Dir: f.dir, BinDir: f.bin, Out: out}, Settle: f.settle})
	return append(found, more...), err
}

func folder(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "roadstead-chaos-")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return abs, os.MkdirAll(abs, 0o755)
}
