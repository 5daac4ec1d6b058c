// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"fmt"

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/apiserver/etcd"
)

// Run serves until ctx ends, then drains and returns nil. An embedded etcd starts first and stops last: what drains
// still reads and writes.
func (o CompletedOptions) Run(ctx context.Context) error {
	if o.Embedded() {
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
		o.Etcd.StorageConfig.Transport.ServerList = []string{store.Endpoint()}
		if err := o.serve(ctxServe); err != nil {
			return err
		}
		if ctx.Err() == nil {
			return context.Cause(ctxServe)
		}
		return nil
	}
	return o.serve(ctx)
}

func (o CompletedOptions) serve(ctx context.Context) error {
	config, err := o.Config(ctx)
	if err != nil {
		return err
	}
	server, err := config.Complete().New()
	if err != nil {
		return err
	}
	defer func() {
		if err := config.Extra.Claims.Client.Close(); err != nil {
			klog.FromContext(ctx).Info("Closing the etcd client of claims", "err", err)
		}
	}()
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
