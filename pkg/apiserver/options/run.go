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

// runEmbedded serves with an embedded etcd, which starts first and stops last, because requests
// still read and write while the server drains.
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
	// The guard starts before the caches, which wait for the store.
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
	// The server has drained at this point, so nothing is written afterwards.
	defer config.Extra.Identity.Close(context.WithoutCancel(ctx))
	return server.Run(ctx)
}

// etcdLogLevel returns the log level of etcd, which logs only warnings unless the level is debug.
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
