// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"

	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// Option changes the environment that Main or Start starts. Without options it is a cluster in which an installation runs
// without a controller.
type Option func(*setup)

// Step starts a part of an environment. What ends it is registered with Env.AtStop.
type Step func(context.Context, *Env) error

// setup is what the options of an environment add up to.
type setup struct {
	host    cluster.Options
	install []func(*install.Options)
	// before are started between the cluster and the installation, after once both serve.
	before, after []Step
	bare          bool
	uninstalled   bool
	anyLog        bool
	parallel      int
	last          string
}

func newSetup(options []Option) *setup {
	s := &setup{}
	for _, change := range options {
		change(s)
	}
	return s
}

// WithHost changes the options of the cluster.
func WithHost(change func(*cluster.Options)) Option { return func(s *setup) { change(&s.host) } }

// WithMinimalHost leaves the controller-manager, scheduler and kwok out of the cluster: objects are only stored.
func WithMinimalHost() Option { return WithHost(func(o *cluster.Options) { o.Minimal = true }) }

// WithAudit lets the cluster write an audit log of a level ("Metadata").
func WithAudit(level string) Option {
	return WithHost(func(o *cluster.Options) { o.AuditLevel = level })
}

// WithOwnersEnforced turns the admission plugin OwnerReferencesPermissionEnforcement on, as some clusters do: whoever sets
// blockOwnerDeletion must be allowed to update the owner's finalizers.
func WithOwnersEnforced() Option {
	return WithHost(func(o *cluster.Options) {
		o.KubeAPIServerArgs = append(o.KubeAPIServerArgs, "--enable-admission-plugins=OwnerReferencesPermissionEnforcement")
	})
}

// WithInstall changes the options of the installation. The cluster runs when change is called, and is in them.
func WithInstall(change func(*install.Options)) Option {
	return func(s *setup) { s.install = append(s.install, change) }
}

// WithController runs a controller with more arguments, too.
func WithController(args ...string) Option {
	return WithInstall(func(o *install.Options) {
		o.WithoutController = false
		o.ControllerArgs = append(o.ControllerArgs, args...)
	})
}

// WithoutCluster starts neither a cluster nor an installation: each test starts an environment of its own with StartFor.
func WithoutCluster() Option { return func(s *setup) { s.bare, s.uninstalled = true, true } }

// WithoutInstallation leaves the installation out: the tests install Roadstead themselves, or need none.
func WithoutInstallation() Option { return func(s *setup) { s.uninstalled = true } }

// WithoutLogCheck accepts errors in the log of roadstead-apiserver: tests that kill clients, or take the store away, leave some.
func WithoutLogCheck() Option { return func(s *setup) { s.anyLog = true } }

// WithParallel runs that many parallel tests at a time, instead of as many as there are processors: for tests that wait
// more than they compute.
func WithParallel(tests int) Option { return func(s *setup) { s.parallel = tests } }

// WithLast runs the tests whose names match pattern when all others have ended, the parallel ones included, unless the
// command line chooses tests.
func WithLast(pattern string) Option { return func(s *setup) { s.last = pattern } }

// WithBefore starts a part of the environment between the cluster and the installation.
func WithBefore(step Step) Option { return func(s *setup) { s.before = append(s.before, step) } }

// WithAfter starts a part of the environment when the installation serves. It ends before the installation.
func WithAfter(step Step) Option { return func(s *setup) { s.after = append(s.after, step) } }
