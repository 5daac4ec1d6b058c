// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package complaints contains one test for each of the known complaints about aggregated API
// servers. The tests are named after the numbers of the complaints.
package complaints

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

var env *framework.Env

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithInstall(func(o *install.Options) { o.SharedStore = true }),
		framework.WithAfter(func(_ context.Context, e *framework.Env) error {
			e.AtStop(stopSecond)
			return nil
		}))
}

const group = "takaro.roadstead.dev"

// releaseGroup is served by the same server.
const releaseGroup = "release.roadstead.dev"

func newDomain(name string) *v1alpha1.Domain {
	return &v1alpha1.Domain{
		TypeMeta:   metav1.TypeMeta{APIVersion: group + "/v1alpha1", Kind: "Domain"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.DomainSpec{TakaroAPIURL: "https://api.takaro.test"},
	}
}

// editor creates a namespace and a user with the default ClusterRole "edit" in it.
func editor(t *testing.T) *framework.User {
	t.Helper()
	return env.User(t, env.Namespace(t), "edit")
}

// restart restarts roadstead-apiserver with additional arguments for this test only. Without
// arguments it does nothing.
func restart(t *testing.T, args ...string) {
	t.Helper()
	if len(args) == 0 {
		return
	}
	require.NoError(t, env.Roadstead.APIServer().Stop())
	require.NoError(t, startWith(t.Context(), args...))
	t.Cleanup(func() {
		require.NoError(t, env.Roadstead.APIServer().Stop())
		// The context of the test is already canceled here.
		require.NoError(t, startWith(context.Background()))
	})
}

// outage stops roadstead-apiserver and returns a function that starts it again. It is started again
// at the end of the test in any case.
func outage(t *testing.T) (back func()) {
	t.Helper()
	require.NoError(t, env.Roadstead.APIServer().Stop())
	t.Cleanup(func() {
		// The context of the test is already canceled here.
		require.NoError(t, startWith(context.Background()))
	})
	return func() {
		t.Helper()
		require.NoError(t, startWith(t.Context()))
	}
}

// startWith starts roadstead-apiserver and returns when it accepts writes, which means that all of
// admission has synced. A server that is stopped earlier logs errors.
func startWith(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, framework.Limit)
	defer cancel()
	if err := env.Roadstead.APIServer().StartWith(ctx, args...); err != nil {
		return err
	}
	if err := env.Roadstead.AwaitAvailable(ctx); err != nil {
		return err
	}
	client, err := versioned.NewForConfig(env.Cluster.AdminConfig())
	if err != nil {
		return err
	}
	// The aggregation layer may still consider the old connection available and send the first
	// request to it.
	return wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := client.TakaroV1alpha1().Domains("default").Create(ctx, newDomain("started"), dryRun())
		if apierrors.IsServiceUnavailable(err) {
			return false, nil
		}
		return true, err
	})
}

func dryRun() metav1.CreateOptions {
	return metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
}

func numbered(prefix string, n int) string { return fmt.Sprintf("%s-%04d", prefix, n) }
