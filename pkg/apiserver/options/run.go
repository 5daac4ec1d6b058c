// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver/hostprobe"
	"roadstead.dev/roadstead/pkg/apiserver/single"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// Run serves until ctx ends, then drains and returns nil.
func (o CompletedOptions) Run(ctx context.Context) error {
	if o.Embedded() {
		return o.runEmbedded(ctx)
	}
	return o.serve(ctx)
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
	release, err := o.alone(ctxServe, failed)
	if err != nil {
		return err
	}
	defer release()
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
	o.member = store
	if err := o.serve(ctxServe); err != nil {
		return err
	}
	if ctx.Err() == nil {
		return context.Cause(ctxServe)
	}
	return nil
}

// alone makes sure that no other server of the installation runs an embedded etcd, until release is called.
func (o CompletedOptions) alone(ctx context.Context, lost func(error)) (release func(), err error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.CoreAPI.CoreAPIKubeconfigPath)
	if err != nil {
		return nil, fmt.Errorf("host cluster: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("host cluster: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.DataDir)
	if err != nil {
		return nil, err
	}
	lease := single.Lease{Client: client, Namespace: o.Namespace, Holder: host + ":" + dir, Clock: clock.RealClock{}}
	if err := takeLease(ctx, client, lease, hostprobe.DefaultPatience); err != nil {
		return nil, err
	}
	ctxRenew, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		lease.Renew(ctxRenew, lost)
	}()
	return func() {
		end()
		<-ended
		lease.Release(context.WithoutCancel(ctx))
	}, nil
}

// takeLease waits for a host that does not answer yet, and for a Role that is applied a little later than this pod.
func takeLease(ctx context.Context, client kubernetes.Interface, lease single.Lease, patience hostprobe.Patience) error {
	if _, err := hostprobe.Await(ctx, client, nil, patience); err != nil {
		return err
	}
	begin := time.Now()
	return wait.PollUntilContextCancel(ctx, patience.Every, true, func(ctx context.Context) (bool, error) {
		err := lease.Take(ctx)
		if apierrors.IsForbidden(err) && time.Since(begin) < patience.Rights {
			return false, nil
		}
		return true, err
	})
}

// memberKV calls the embedded etcd without a connection; nil when there is none.
func (o CompletedOptions) memberKV() etcdserverpb.KVClient {
	if o.member == nil {
		return nil
	}
	return o.member.KV()
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
