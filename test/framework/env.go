// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// Limit is for each condition that a test waits for; what is awaited takes a few seconds at most.
const Limit = time.Minute

// Env is a cluster with Roadstead in it, shared by the tests of a package.
type Env struct {
	// Cluster is the real control plane.
	Cluster *cluster.Cluster
	// Roadstead is the installation in it.
	Roadstead *install.Installation
	// Admin reaches the cluster as a member of system:masters.
	Admin kubernetes.Interface

	names atomic.Int64
}

// Main runs the tests of a package in one environment, which it leaves in *env, and gives the exit code. It fails too when
// the log of roadstead-apiserver then holds an error or a missing right, or when that does not end with exit status 0. Configure may
// change what is started; it may be nil.
func Main(m *testing.M, env **Env, configure func(*cluster.Options, *install.Options)) int {
	var clusterOptions cluster.Options
	localOptions := install.Options{WithoutController: true}
	if configure != nil {
		configure(&clusterOptions, &localOptions)
	}
	e, err := Start(context.Background(), clusterOptions, localOptions)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	*env = e
	code := m.Run()
	if err := errors.Join(e.Roadstead.Stop(), checkLog(e.Roadstead.APIServer().Log()), e.Cluster.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// Start starts an environment, which runs until Stop. ctx bounds only the start. localOptions.Cluster
// is set here.
func Start(ctx context.Context, clusterOptions cluster.Options, localOptions install.Options) (*Env, error) {
	c, err := cluster.Start(ctx, clusterOptions)
	if err != nil {
		return nil, err
	}
	localOptions.Cluster = c
	roadstead, err := install.Install(ctx, localOptions)
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	admin, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		return nil, errors.Join(err, roadstead.Stop(), c.Stop())
	}
	return &Env{Cluster: c, Roadstead: roadstead, Admin: admin}, nil
}

// Stop ends Roadstead, then the cluster.
func (e *Env) Stop() error { return errors.Join(e.Roadstead.Stop(), e.Cluster.Stop()) }

// Name gives a name that no other test of the environment has.
func (e *Env) Name(prefix string) string {
	return fmt.Sprintf("%s-%d", prefix, e.names.Add(1))
}

// Namespace makes a namespace for one test. It stays until the cluster goes.
func (e *Env) Namespace(t *testing.T) string {
	t.Helper()
	prefix := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	name := e.Name(prefix[:min(len(prefix), 40)])
	_, err := e.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return name
}

// StoreRecord gives what the cluster knows of the store.
func (e *Env) StoreRecord(t *testing.T) storeidentity.Record {
	t.Helper()
	source, err := e.Admin.CoreV1().ConfigMaps(install.Namespace).Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.NoError(t, err)
	record, err := storeidentity.Parse(source)
	require.NoError(t, err)
	require.NotNil(t, record, "ConfigMap %s holds no record", storeidentity.ConfigMapName)
	return *record
}

// Await polls check until it gives nil.
func Await(t *testing.T, what string, check func() error) {
	t.Helper()
	AwaitFor(t, Limit, what, check)
}

// AwaitFor polls check until it gives nil, at most for limit.
func AwaitFor(t *testing.T, limit time.Duration, what string, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ticker := time.NewTicker(25 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			require.FailNow(t, "waited too long", "%s: after %s: %v", what, limit, err)
		case <-ticker.C:
		}
	}
}
