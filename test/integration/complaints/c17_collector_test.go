// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/framework"
)

func ownedBy(apiVersion, kind, name string, uid types.UID) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, BlockOwnerDeletion: ptr.To(true)}}
}

func newMap(name string, owners []metav1.OwnerReference) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}
}

// TestC17OwnersOfEveryKind verifies that an object of Roadstead is deleted with its core owner, and
// that its core dependents are deleted with it. Foreground and orphaning deletion are tested by
// TestC17GarbageCollection in test/integration/apiserver.
func TestC17OwnersOfEveryKind(t *testing.T) {
	u := keeper(t)
	env.Grant(t, u, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps/finalizers"}, Verbs: []string{"update"}})
	maps := env.Admin.CoreV1().ConfigMaps(u.Namespace)
	eachKind(t, func(t *testing.T, k kind) {
		above, err := maps.Create(t.Context(), newMap("above-"+k.resource, nil), metav1.CreateOptions{})
		require.NoError(t, err)
		object := k.object(t, "between")
		object.SetOwnerReferences(ownedBy("v1", "ConfigMap", above.Name, above.UID))
		object, err = k.client(t, u).Create(t.Context(), object, metav1.CreateOptions{})
		require.NoError(t, err)
		below := newMap("below-"+k.resource, ownedBy(object.GetAPIVersion(), k.name, object.GetName(), object.GetUID()))
		_, err = maps.Create(t.Context(), below, metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, maps.Delete(t.Context(), above.Name, metav1.DeleteOptions{}))
		awaitMapGone(t, maps, below.Name)
		_, err = k.client(t, u).Get(t.Context(), "between", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}

// ownerless creates a dependent of an owner that never existed, and returns when the collector has
// deleted it.
func ownerless(t *testing.T, maps typedcorev1.ConfigMapInterface, apiVersion, kind string) {
	t.Helper()
	canary, err := maps.Create(t.Context(), newMap(env.Name("ownerless"), ownedBy(apiVersion, kind, "never", uuid.NewUUID())),
		metav1.CreateOptions{})
	require.NoError(t, err)
	awaitMapGone(t, maps, canary.Name)
}

func awaitMapGone(t *testing.T, maps typedcorev1.ConfigMapInterface, name string) {
	t.Helper()
	framework.Await(t, "the end of ConfigMap "+name, func() error {
		_, err := maps.Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("still there"))
	})
}

// TestC17DependentsOutliveOurOutages verifies that dependents survive outages of the Roadstead
// server. The garbage collector deletes objects whose owner is "not found". It queries owners
// continuously while the server stops, is unavailable, is killed and starts, and must never get
// that response (kubernetes/kubernetes#104342).
func TestC17DependentsOutliveOurOutages(t *testing.T) {
	server := env.Roadstead.APIServer()
	dependentsOutlive(t, server.Stop, server.Kill)
}

// dependentsOutlive creates dependents continuously while the Roadstead server is stopped in each
// of the given ways and started again.
func dependentsOutlive(t *testing.T, outages ...func() error) {
	t.Helper()
	u := keeper(t)
	maps := env.Admin.CoreV1().ConfigMaps(u.Namespace)
	var owners []*unstructured.Unstructured
	for _, k := range kinds {
		owners = append(owners, k.create(t, u, "owner"))
	}
	// New dependents are created continuously, and the collector queries each owner that it does
	// not know.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var created atomic.Int64
	made := make(chan []string, 1)
	failed := make(chan error, 1)
	go func() {
		var names []string
		for i := 0; ctx.Err() == nil; i++ {
			of := owners[i%len(owners)]
			name := numbered("dependent", i)
			_, err := maps.Create(t.Context(), newMap(name, ownedBy(of.GetAPIVersion(), of.GetKind(), of.GetName(), of.GetUID())),
				metav1.CreateOptions{})
			if err != nil {
				failed <- err
				return
			}
			names = append(names, name)
			created.Add(1)
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
		made <- names
	}()
	t.Cleanup(func() {
		// The context of the test is already canceled here.
		require.NoError(t, startWith(context.Background()))
	})
	for _, end := range outages {
		require.NoError(t, end())
		before := created.Load()
		framework.Await(t, "dependents of the outage", func() error {
			if during := created.Load() - before; during < 25 {
				return fmt.Errorf("%d were created", during)
			}
			return nil
		})
		// When the collector has deleted this dependent, it has processed all earlier ones during
		// the outage.
		ownerless(t, maps, "v1", "Secret")
		require.NoError(t, startWith(t.Context()))
	}
	stop()
	var names []string
	select {
	case err := <-failed:
		require.NoError(t, err)
	case names = <-made:
	}
	ownerless(t, maps, owners[0].GetAPIVersion(), owners[0].GetKind())
	left, err := maps.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var there []string
	for _, one := range left.Items {
		if one.Name != "kube-root-ca.crt" {
			there = append(there, one.Name)
			require.Nil(t, one.DeletionTimestamp, one.Name)
		}
	}
	require.ElementsMatch(t, names, there)

	// The collector still handles the Roadstead kinds.
	for _, k := range kinds {
		require.NoError(t, k.client(t, u).Delete(t.Context(), "owner", metav1.DeleteOptions{}))
	}
	for _, name := range names[:len(kinds)] {
		awaitMapGone(t, maps, name)
	}
}
