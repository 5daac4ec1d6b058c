// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

// Package replicas tests several replicas of roadstead-apiserver behind one Service, with a
// three-member etcd that uses TLS.
package replicas

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"roadstead.dev/roadstead/test/fakes/balancer"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var (
	env *framework.Env
	// store is the etcd of the installation.
	store *cluster.EtcdCluster
	// service stands for the Service roadstead-apiserver.
	service *balancer.Balancer
)

// probeEvery is the interval of the readiness probes of the Service. The interval in the shipped
// manifests is longer.
const probeEvery = time.Second

// shutdownDelay is longer than the Service needs to observe that a replica is shutting down.
const shutdownDelay = 3 * probeEvery

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithHost(func(o *cluster.Options) {
		// At this level kube-apiserver logs the reload of a certificate.
		o.KubeAPIServerArgs = []string{"--v=2"}
	}), framework.WithBefore(startStore), framework.WithInstall(func(o *install.Options) {
		o.Replicas, o.Front = 3, service
		o.APIServerArgs = append(store.ServerArgs(), fmt.Sprint("--shutdown-delay-duration=", shutdownDelay))
	}), framework.WithoutLogCheck())
}

// startStore starts the etcd of the API servers and the stand-in for their Service.
func startStore(ctx context.Context, e *framework.Env) (err error) {
	if store, err = cluster.StartEtcd(ctx, cluster.Options{Dir: filepath.Join(e.Cluster.Dir(), "store")}); err != nil {
		return err
	}
	e.AtStop(store.Stop)
	port, err := e.Cluster.ReservePort()
	if err != nil {
		return err
	}
	service, err = balancer.Start(balancer.Options{Address: net.JoinHostPort("127.0.0.1", port), Probe: install.Ready, Every: probeEvery})
	if err == nil {
		e.AtStop(service.Stop)
	}
	return err
}
