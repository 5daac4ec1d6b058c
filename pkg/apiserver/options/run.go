// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"fmt"

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// Run serves until ctx ends, then drains and returns nil.
func (o CompletedOptions) Run(ctx context.Context) error {
	if o.Embedded() {
		return o.runEmbedded(ctx)
	}
	return o.serve(ctx, nil)
}

// runEmbedded serves with an etcd of its own, which starts first and stops last: what drains still reads and writes.
func (o CompletedOptions) runEmbedded(ctx context.Context) error {
	if !o.Dev {
		if err := etcd.RequirePersistent(o.DataDir); err != nil {
			return err
		}
	}
	ctxServe, failed := context.WithCancelCause(ctx)
	defer failed(nil)
	store, err := etcd.Start(ctx, o.DataDir, etcdLogLevel(o.Logging.Level))
	if err != nil {
		return err
	}
	defer store.Stop()
	klog.FromContext(ctx).Info("Embedded etcd is ready", "dataDir", o.DataDir)
	go func() {
		select {
		case err := <-store.Failed():
			failed(fmt.Errorf("embedded etcd stopped: %w", err))
		case <-ctxServe.Done():
		}
	}()
	if err := o.serve(ctxServe, store); err != nil {
		return err
	}
	if ctx.Err() == nil {
		return context.Cause(ctxServe)
	}
	return nil
}

// serve serves from the embedded etcd, or from an external one if member is nil.
func (o CompletedOptions) serve(ctx context.Context, member *etcd.Server) error {
	config, err := o.config(ctx, member)
	if err != nil {
		return err
	}
	// It begins before the caches do, which wait for the store.
	go config.Extra.Identity.Run(ctx)
	server, err := config.Complete().New()
	if err != nil {
		return err
	}
	defer func() {
		if err := config.Extra.Etcd.Close(); err != nil {
			klog.FromContext(ctx).Info("Closing the etcd client", "err", err)
		}
	}()
	// The server has drained by then: nothing is written after it.
	defer config.Extra.Identity.Close(context.WithoutCancel(ctx))
	return server.Run(ctx)
}

// etcdLogLevel keeps etcd's chatter out of the log unless it is asked for.
func etcdLogLevel(level string) string {
	switch level {
	case "debug":
		return "info"
	case "error":
		return "error"
	default:
		return "warn"
	}
}
