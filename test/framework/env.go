// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// Limit is the timeout of each condition that a test waits for. The conditions take a few seconds
// at most.
const Limit = time.Minute

// Env is a cluster with Roadstead installed, shared by the tests of a package.
type Env struct {
	// Cluster is the real control plane.
	Cluster *cluster.Cluster
	// Roadstead is the installation in the cluster.
	Roadstead *install.Installation
	// Admin is a client for a member of system:masters.
	Admin kubernetes.Interface
	// Takaro, Player and Redis are shared by all tests: see WithTakaro, WithPlayer and WithRedis.
	Takaro *takaro.Server
	Player *podplayer.Player
	Redis  *redis.Server
	// Serving is the configuration of stand-ins that serve HTTPS with certificates of Authority
	// (PEM): see WithAuthority.
	Serving   *tls.Config
	Authority []byte

	names atomic.Int64
	// ends stop the parts of the environment, in the order of their start.
	ends []func() error
}

// Name returns a name that is unique among the tests of the environment.
func (e *Env) Name(prefix string) string {
	return fmt.Sprintf("%s-%d", prefix, e.names.Add(1))
}

// Namespace creates a namespace for one test. It exists until the cluster is stopped.
func (e *Env) Namespace(t *testing.T) string {
	t.Helper()
	prefix := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	return e.ShortNamespace(t, prefix[:min(len(prefix), 40)])
}

// ShortNamespace is Namespace for tests that depend on the length of the name.
func (e *Env) ShortNamespace(t *testing.T, prefix string) string {
	t.Helper()
	name := e.Name(prefix)
	_, err := e.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	return name
}

// StoreRecord returns the record of the store in the cluster.
func (e *Env) StoreRecord(t *testing.T) storeidentity.Record {
	t.Helper()
	source, err := e.Admin.CoreV1().ConfigMaps(install.Namespace).Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.NoError(t, err)
	record, err := storeidentity.Parse(source)
	require.NoError(t, err)
	require.NotNil(t, record, "ConfigMap %s holds no record", storeidentity.ConfigMapName)
	return *record
}

// Unless returns an error if ok is false.
func Unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// ConditionIs returns an error unless a condition of the current generation has the given status
// and reason, such as "False SecretNotFound".
func ConditionIs(object metav1.Object, conditions []metav1.Condition, kind, want string) error {
	found := meta.FindStatusCondition(conditions, kind)
	return Unless(found != nil && found.ObservedGeneration == object.GetGeneration() && string(found.Status)+" "+found.Reason == want,
		"%s of generation %d has the conditions %+v", object.GetName(), object.GetGeneration(), conditions)
}

// Await polls check until it returns nil. It fails the test after Limit.
func Await(t *testing.T, what string, check func() error) {
	t.Helper()
	AwaitFor(t, Limit, what, check)
}

// AwaitFor polls check until it returns nil. It fails the test after limit.
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
