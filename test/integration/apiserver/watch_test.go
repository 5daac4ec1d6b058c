// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

// watching starts a watch that ends with the test.
func watching(t *testing.T, u *framework.User, options metav1.ListOptions) (next func() (watch.EventType, *v1alpha1.Domain)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), framework.Limit)
	t.Cleanup(cancel)
	w, err := u.Domains().Watch(ctx, options)
	require.NoError(t, err)
	t.Cleanup(w.Stop)
	return func() (watch.EventType, *v1alpha1.Domain) {
		event, open := <-w.ResultChan()
		require.True(t, open, "the watch ended")
		domain, ok := event.Object.(*v1alpha1.Domain)
		require.True(t, ok, "%v: %v", event.Type, event.Object)
		return event.Type, domain
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	u := editor(t)
	list, err := u.Domains().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	domain := created(t, u, newDomain("watched"))
	next := watching(t, u, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	kind, seen := next()
	require.Equal(t, watch.Added, kind)
	require.Equal(t, domain.ResourceVersion, seen.ResourceVersion)

	domain.Spec.Description = "changed"
	domain, err = u.Domains().Update(t.Context(), domain, metav1.UpdateOptions{})
	require.NoError(t, err)
	kind, seen = next()
	require.Equal(t, watch.Modified, kind)
	require.Equal(t, domain, seen)
	require.NoError(t, u.Domains().Delete(t.Context(), "watched", metav1.DeleteOptions{}))
	kind, seen = next()
	require.Equal(t, watch.Deleted, kind)
	require.Equal(t, domain.UID, seen.UID)
}

// TestWatch_MoreThanTheStreamsOfAConnection verifies that the aggregation layer opens further
// connections when the 100 streams of one are in use.
func TestWatch_MoreThanTheStreamsOfAConnection(t *testing.T) {
	t.Parallel()
	u := editor(t)
	list, err := u.Domains().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var watches []func() (watch.EventType, *v1alpha1.Domain)
	for range 250 {
		watches = append(watches, watching(t, u, metav1.ListOptions{ResourceVersion: list.ResourceVersion}))
	}
	domain := created(t, u, newDomain("watched"))
	for _, next := range watches {
		kind, seen := next()
		require.Equal(t, watch.Added, kind)
		require.Equal(t, domain.ResourceVersion, seen.ResourceVersion)
	}
}

func TestStreamingList(t *testing.T) {
	t.Parallel()
	u := editor(t)
	names := map[string]bool{}
	for _, name := range []string{"one", "two", "three"} {
		created(t, u, newDomain(name))
		names[name] = true
	}
	next := watching(t, u, metav1.ListOptions{
		SendInitialEvents: ptr.To(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	for range 3 {
		kind, seen := next()
		require.Equal(t, watch.Added, kind)
		require.True(t, names[seen.Name])
		delete(names, seen.Name)
	}
	kind, end := next()
	require.Equal(t, watch.Bookmark, kind)
	require.Equal(t, "true", end.Annotations[metav1.InitialEventsAnnotationKey])
	require.NotEmpty(t, end.ResourceVersion)
}

// TestWatchBookmarks waits for the bookmark that the server sends shortly before the end of a
// watch.
func TestWatchBookmarks(t *testing.T) {
	t.Parallel()
	u := editor(t)
	created(t, u, newDomain("marked"))
	next := watching(t, u, metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: ptr.To(int64(4))})
	kind, _ := next()
	require.Equal(t, watch.Added, kind)
	kind, mark := next()
	require.Equal(t, watch.Bookmark, kind)
	require.NotEmpty(t, mark.ResourceVersion)
	require.Empty(t, mark.Name)
}
