// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// storedDomains provides Domains to an informer.
type storedDomains struct{ toolscache.ListWatch }

// IsWatchListSemanticsUnSupported causes the informer to use a list instead of a watch list.
func (*storedDomains) IsWatchListSemanticsUnSupported() bool { return true }

// cacheOf returns a started cache with the given number of Domains, each in its own namespace.
func cacheOf(t *testing.T, number int) cache.Cache {
	t.Helper()
	kinds, err := newScheme()
	require.NoError(t, err)
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(takarov1alpha1.SchemeGroupVersion.WithKind("Domain"), meta.RESTScopeNamespace)
	list := &takarov1alpha1.DomainList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for i := range number {
		one := aDomain("a", takarov1alpha1.ReasonEndpointUnavailable, false)
		one.Namespace = fmt.Sprint("team-", i)
		list.Items = append(list.Items, *one)
	}
	source := &storedDomains{toolscache.ListWatch{
		ListWithContextFunc:  func(context.Context, metav1.ListOptions) (runtime.Object, error) { return list, nil },
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil },
	}}
	cached, err := cache.New(&rest.Config{Host: "http://unused"}, cache.Options{
		Scheme: kinds, Mapper: mapper, HTTPClient: http.DefaultClient,
		NewInformer: func(
			_ toolscache.ListerWatcher, object runtime.Object, resync time.Duration, indexers toolscache.Indexers,
		) toolscache.SharedIndexInformer {
			return toolscache.NewSharedIndexInformer(source, object, resync, indexers)
		},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- cached.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	require.True(t, cached.WaitForCacheSync(ctx), "it is started")
	require.NoError(t, cached.List(ctx, &takarov1alpha1.DomainList{}))
	return cached
}

// TestObjectCounter_CopiesNothing counts allocations: a scrape of 1000 objects must not need more
// of them than one of ten.
func TestObjectCounter_CopiesNothing(t *testing.T) {
	const more = 990
	scrape := func(number int) float64 {
		counter := &objectCounter{cached: cacheOf(t, number), kinds: []counter{countDomains}, elected: closed}
		want := fmt.Sprintf(`roadstead_objects_blocked{kind="Domain",reason="EndpointUnavailable"} %d
roadstead_objects{kind="Domain",phase="Pending"} %[1]d`, number)
		require.Equal(t, want, exposition(t, counter), "no series for a namespace")
		out := make(chan prometheus.Metric, 10)
		return testing.AllocsPerRun(10, func() {
			counter.Collect(out)
			for len(out) > 0 {
				<-out
			}
		})
	}
	few := scrape(10)
	require.Less(t, (scrape(10+more)-few)/more, 1.0, "allocations for one more object")
}
