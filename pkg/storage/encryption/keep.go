// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/util/keeper"
)

// SeedsConfig is what Seeds needs.
type SeedsConfig struct {
	// Client is the client for the cluster, Namespace the namespace of the installation.
	Client    kubernetes.Interface
	Namespace string
	// KV reads the store that belongs to the cluster, and returns errors while that is not known.
	// Prefix is the prefix of the objects.
	KV     clientv3.KV
	Prefix string
	// Record holds the fingerprints of the seeds that have been in use.
	Record keeper.Record
	// Transformers use the seeds.
	Transformers *Transformers
	// Provider reports that --encryption-provider-config is set, so that the seeds only decrypt.
	Provider bool
}

// Seeds keeps the Secret of the seeds and passes them on to the transformers.
type Seeds struct {
	config SeedsConfig
	keeper *keeper.Keeper
}

// NewSeeds returns Seeds. The transformers are not ready until Prepare has succeeded.
func NewSeeds(config SeedsConfig) *Seeds {
	spec := Spec(config.KV, config.Prefix, config.Provider)
	return &Seeds{config: config, keeper: keeper.New(spec, config.Client, config.Namespace, config.Record)}
}

// Prepare reads the Secret, which is generated or restored if necessary, and sets the seeds of the
// transformers. It must be called when the store is known to belong to the cluster, before anything
// is read from it. A *keeper.RefusedError reports that a seed is missing; call Prepare again after
// keeper.Retry.
func (s *Seeds) Prepare(ctx context.Context) error {
	seeds, err := s.keeper.Get(ctx)
	if err != nil {
		return err
	}
	return s.use(ctx, seeds, func() {})
}

// Run follows the Secret until ctx ends, so that seeds are rotated without a restart. changed is called after other seeds
// have been taken into use. Call it after Prepare.
func (s *Seeds) Run(ctx context.Context, changed func()) {
	s.keeper.Run(ctx, func(ctx context.Context, seeds [][]byte) error { return s.use(ctx, seeds, changed) })
}

// Refresh evaluates the Secret again, after everything was encrypted with one seed. It is for Rewriter.Done.
func (s *Seeds) Refresh() { s.keeper.Refresh() }

// Restore writes seeds into the Secret that only this process knows. Call it before the process exits because of its
// store.
func (s *Seeds) Restore(ctx context.Context) error { return s.keeper.Restore(ctx) }

// use takes seeds into use.
func (s *Seeds) use(ctx context.Context, seeds [][]byte, changed func()) error {
	if !s.config.Provider && len(seeds) > 0 {
		// After this call the store can contain values of two seeds.
		if _, err := unmark(ctx, s.config.KV, s.config.Prefix, string(writtenBy(seeds[0]))); err != nil {
			return err
		}
	}
	different, err := s.config.Transformers.Use(seeds)
	if err != nil || !different {
		return err
	}
	if len(seeds) > 0 {
		klog.FromContext(ctx).Info("Using other encryption seeds", "seeds", len(seeds), "writes", name(seeds[0]))
	}
	changed()
	return nil
}
