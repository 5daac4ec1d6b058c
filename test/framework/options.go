// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"

	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// Option configures the environment that Main or Start starts. Without options it is a cluster with
// an installation that has no controller.
type Option func(*setup)

// Step starts a part of an environment. It registers the function that stops the part with
// Env.AtStop.
type Step func(context.Context, *Env) error

// setup is the sum of the options of an environment.
type setup struct {
	host    cluster.Options
	install []func(*install.Options)
	// before are started after the cluster and before the installation; after are started when both
	// serve.
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

// WithMinimalHost omits the controller-manager, the scheduler and kwok from the cluster: objects
// are only stored.
func WithMinimalHost() Option { return WithHost(func(o *cluster.Options) { o.Minimal = true }) }

// WithAudit enables the audit log of the cluster at a level ("Metadata").
func WithAudit(level string) Option {
	return WithHost(func(o *cluster.Options) { o.AuditLevel = level })
}

// WithOwnersEnforced enables the admission plugin OwnerReferencesPermissionEnforcement, as some
// clusters do: a client that sets blockOwnerDeletion must be allowed to update the finalizers of
// the owner.
func WithOwnersEnforced() Option {
	return WithHost(func(o *cluster.Options) {
		o.KubeAPIServerArgs = append(o.KubeAPIServerArgs, "--enable-admission-plugins=OwnerReferencesPermissionEnforcement")
	})
}

// WithInstall changes the options of the installation. When change is called, the cluster is
// running and is set in the options.
func WithInstall(change func(*install.Options)) Option {
	return func(s *setup) { s.install = append(s.install, change) }
}

// WithController also runs a controller, with the given additional arguments.
func WithController(args ...string) Option {
	return WithInstall(func(o *install.Options) {
		o.WithoutController = false
		o.ControllerArgs = append(o.ControllerArgs, args...)
	})
}

// WithoutCluster starts neither a cluster nor an installation: each test starts a separate
// environment with StartFor.
func WithoutCluster() Option { return func(s *setup) { s.bare, s.uninstalled = true, true } }

// WithoutInstallation omits the installation: the tests install Roadstead themselves, or need none.
func WithoutInstallation() Option { return func(s *setup) { s.uninstalled = true } }

// WithoutLogCheck accepts errors in the log of roadstead-apiserver, for tests that kill clients or
// make the store unavailable.
func WithoutLogCheck() Option { return func(s *setup) { s.anyLog = true } }

// WithParallel sets the number of parallel tests, instead of the number of processors, for tests
// that mostly wait.
func WithParallel(tests int) Option { return func(s *setup) { s.parallel = tests } }

// WithLast runs the tests whose names match pattern after all others, including the parallel ones,
// have finished. It has no effect when the command line selects tests.
func WithLast(pattern string) Option { return func(s *setup) { s.last = pattern } }

// WithBefore starts a part of the environment after the cluster and before the installation.
func WithBefore(step Step) Option { return func(s *setup) { s.before = append(s.before, step) } }

// WithAfter starts a part of the environment when the installation serves. The part is stopped
// before the installation.
func WithAfter(step Step) Option { return func(s *setup) { s.after = append(s.after, step) } }
