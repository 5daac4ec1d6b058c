// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package replicas

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

// areReplaced covers k/k#96486 and gardener #2814: all replicas are replaced under 50 requests per
// second, as by a Deployment with maxSurge 100% and maxUnavailable 0.
func areReplaced(t *testing.T) {
	u := editor(t)
	unavailable := watchAvailability(t)
	seen := follow(t, u)
	l := mixed(t, u, 50)
	wait(t, 5*time.Second)

	old := running()
	for range old {
		_, err := env.Roadstead.AddAPIServer(t.Context())
		require.NoError(t, err)
	}
	awaitReady(t, 2*len(old))
	begin := time.Now()
	var ending sync.WaitGroup
	errs := make([]error, len(old))
	for i, server := range old {
		// In a real cluster the endpoint of a deleted pod is removed at the time of its SIGTERM.
		// The Service of this test detects the shutdown only by its probe.
		ending.Go(func() { errs[i] = server.Stop() })
	}
	ending.Wait()
	require.NoError(t, errors.Join(errs...))
	t.Logf("the old replicas ended within %d ms", time.Since(begin).Milliseconds())
	wait(t, 5*time.Second)
	l.faultless(t, 500)
	require.Empty(t, unavailable(), "the APIService was always available")
	for _, server := range old {
		require.NotContains(t, service.Ready(), server.Address())
	}

	made, err := u.Domains().Create(t.Context(), &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Name: "after"},
		Spec: v1alpha1.DomainSpec{TakaroAPIURL: "https://api.takaro.test"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	framework.Await(t, "the watch to show what was made after the replacement", func() error {
		if !seen(made.Name) {
			return errors.New("not seen")
		}
		return nil
	})
}

// follow watches the Domains of a user as controllers do, and returns a function that reports
// whether a Domain is in the cache.
func follow(t *testing.T, u *framework.User) func(name string) bool {
	t.Helper()
	domains := u.Domains()
	informer := cache.NewSharedInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return domains.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return domains.Watch(ctx, o)
		},
	}, &v1alpha1.Domain{}, 0)
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { informer.RunWithContext(ctx) })
	t.Cleanup(func() { cancel(); ended.Wait() })
	require.True(t, cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced))
	return func(name string) bool {
		_, found, err := informer.GetStore().GetByKey(u.Namespace + "/" + name)
		return err == nil && found
	}
}

// watchAvailability watches the APIService and returns a function that lists all statuses other
// than Available since then.
func watchAvailability(t *testing.T) func() []string {
	t.Helper()
	client, err := aggregator.NewForConfig(env.Cluster.AdminConfig())
	require.NoError(t, err)
	events, err := client.ApiregistrationV1().APIServices().Watch(t.Context(),
		metav1.ListOptions{FieldSelector: "metadata.name=v1alpha1.takaro.roadstead.dev"})
	require.NoError(t, err)
	var mu sync.Mutex
	var bad []string
	var ended sync.WaitGroup
	ended.Go(func() {
		for event := range events.ResultChan() {
			service, ok := event.Object.(*apiregistration.APIService)
			if !ok {
				continue
			}
			for _, condition := range service.Status.Conditions {
				if condition.Type == apiregistration.Available && condition.Status != apiregistration.ConditionTrue {
					mu.Lock()
					bad = append(bad, condition.Reason+": "+condition.Message)
					mu.Unlock()
				}
			}
		}
	})
	t.Cleanup(func() { events.Stop(); ended.Wait() })
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), bad...)
	}
}

// alive requires that a request through the aggregation layer succeeds.
func alive(t *testing.T, u *framework.User) {
	t.Helper()
	answer := framework.Do(t, u.Config, framework.Request{Path: framework.DomainsPath(u.Namespace)})
	require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
}
