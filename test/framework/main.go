// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// Main runs the tests of a package in one environment, which it stores in *env, and exits. It also
// fails when the log of roadstead-apiserver contains an error or a missing right (see
// WithoutLogCheck), or when a part of the environment does not stop cleanly.
func Main(m *testing.M, env **Env, options ...Option) {
	s := newSetup(options)
	e, err := s.start(context.Background(), !s.anyLog)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	*env = e
	code, err := s.run(m)
	if err := errors.Join(err, e.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run runs the tests, and those of WithLast in a second run, because in a single run the parallel
// tests finish after all others.
func (s *setup) run(m *testing.M) (code int, err error) {
	flag.Parse()
	if s.parallel > 0 {
		if err := flag.Set("test.parallel", strconv.Itoa(s.parallel)); err != nil {
			return 1, err
		}
	}
	chosen := slices.ContainsFunc([]string{"test.run", "test.skip", "test.list"}, func(name string) bool {
		return flag.Lookup(name).Value.String() != ""
	})
	if s.last == "" || chosen {
		return m.Run(), nil
	}
	if err := flag.Set("test.skip", s.last); err != nil {
		return 1, err
	}
	code = m.Run()
	if err := errors.Join(flag.Set("test.skip", ""), flag.Set("test.run", s.last)); err != nil {
		return 1, err
	}
	return max(code, m.Run()), nil
}

// Start starts an environment, which runs until Stop. ctx bounds only the start.
func Start(ctx context.Context, options ...Option) (*Env, error) {
	return newSetup(options).start(ctx, false)
}

// StartFor starts an environment that is stopped at the end of the test.
func StartFor(t *testing.T, options ...Option) *Env {
	t.Helper()
	// Parts of an environment run until the context of their start is done, and must stop before
	// the cluster does.
	e, err := Start(context.WithoutCancel(t.Context()), options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Stop()) })
	return e
}

func (s *setup) start(ctx context.Context, withLogCheck bool) (*Env, error) {
	e := &Env{}
	var steps []Step
	if !s.bare {
		steps = append(steps, s.startCluster)
	}
	steps = append(steps, s.before...)
	if !s.uninstalled {
		steps = append(steps, s.startInstallation(withLogCheck))
	}
	for _, step := range append(steps, s.after...) {
		if err := step(ctx, e); err != nil {
			return nil, errors.Join(err, e.Stop())
		}
	}
	return e, nil
}

func (s *setup) startCluster(ctx context.Context, e *Env) (err error) {
	if e.Cluster, err = cluster.Start(ctx, s.host); err != nil {
		return err
	}
	e.AtStop(e.Cluster.Stop)
	e.Admin, err = kubernetes.NewForConfig(e.Cluster.AdminConfig())
	return err
}

func (s *setup) startInstallation(withLogCheck bool) Step {
	return func(ctx context.Context, e *Env) (err error) {
		options := install.Options{Cluster: e.Cluster, WithoutController: true}
		for _, change := range s.install {
			change(&options)
		}
		if e.Roadstead, err = install.Install(ctx, options); err != nil {
			return err
		}
		if withLogCheck {
			e.AtStop(func() error { return checkLog(e.Roadstead.APIServer().Log()) })
		}
		e.AtStop(e.Roadstead.Stop)
		return nil
	}
}

// AtStop registers a function that stops a part of the environment. Stop calls the functions in
// reverse order.
func (e *Env) AtStop(end func() error) { e.ends = append(e.ends, end) }

// Stop stops everything in the reverse order of the start.
func (e *Env) Stop() error {
	var errs []error
	for _, end := range slices.Backward(e.ends) {
		errs = append(errs, end())
	}
	return errors.Join(errs...)
}
