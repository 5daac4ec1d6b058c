// SPDX-License-Identifier: Apache-2.0

package owner

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func configMap(uid types.UID) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "arena", UID: uid}}
}

func TestSet_ReadsTheOwnerUncached(t *testing.T) {
	unavailable := errors.New("etcd is unavailable")
	for name, c := range map[string]struct {
		live     []client.Object
		err      error
		conflict bool
		message  string
	}{
		"same UID":   {live: []client.Object{configMap("old")}},
		"other UID":  {live: []client.Object{configMap("new")}, conflict: true, message: "its UID is new and no longer old"},
		"not found":  {conflict: true, message: "it no longer exists"},
		"unreadable": {err: unavailable, message: "read the owner, ConfigMap team/arena: etcd is unavailable"},
	} {
		for kind, set := range map[string]func(context.Context, client.Reader, *runtime.Scheme, client.Object, client.Object) error{
			"controller": SetController,
			"owner": func(ctx context.Context, live client.Reader, scheme *runtime.Scheme, owner, object client.Object) error {
				_, err := Offer(ctx, live, scheme, owner, object)
				return err
			},
			"taker": func(ctx context.Context, live client.Reader, scheme *runtime.Scheme, owner, object client.Object) error {
				_, err := Take(ctx, live, scheme, owner, object)
				return err
			},
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				live := interceptor.NewClient(fake.NewClientBuilder().WithObjects(c.live...).Build(), interceptor.Funcs{
					Get: func(ctx context.Context, inner client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
						if c.err != nil {
							return c.err
						}
						return inner.Get(ctx, key, object, options...)
					},
				})
				owned := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s"}}
				err := set(t.Context(), live, scheme.Scheme, configMap("old"), owned)
				require.Equal(t, c.conflict, apierrors.IsConflict(err))
				if c.message != "" {
					require.ErrorContains(t, err, c.message)
					require.Empty(t, owned.OwnerReferences)
					return
				}
				require.NoError(t, err)
				require.Equal(t, types.UID("old"), owned.OwnerReferences[0].UID)
				require.Equal(t, kind != "owner", metav1.GetControllerOf(owned) != nil)
			})
		}
	}
}

func TestOffer(t *testing.T) {
	current := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "arena", UID: "new"}
	former := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "arena", UID: "old"}
	namesake := metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "ConfigMap", Name: "arena", UID: "other"}
	operator := metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Team", Name: "blue", UID: "blue"}
	for name, c := range map[string]struct {
		before, after []metav1.OwnerReference
		changed       bool
	}{
		"no owner":                      {nil, []metav1.OwnerReference{current}, true},
		"owned":                         {[]metav1.OwnerReference{current}, []metav1.OwnerReference{current}, false},
		"former owner":                  {[]metav1.OwnerReference{former}, []metav1.OwnerReference{current}, true},
		"former and current owner":      {[]metav1.OwnerReference{former, current}, []metav1.OwnerReference{current}, true},
		"of somebody else":              {[]metav1.OwnerReference{operator}, []metav1.OwnerReference{operator}, false},
		"of a namesake":                 {[]metav1.OwnerReference{namesake}, []metav1.OwnerReference{namesake}, false},
		"of somebody else and owned":    {[]metav1.OwnerReference{operator, current}, []metav1.OwnerReference{operator}, true},
		"of somebody else and formerly": {[]metav1.OwnerReference{former, operator}, []metav1.OwnerReference{operator}, true},
	} {
		t.Run(name, func(t *testing.T) {
			live := fake.NewClientBuilder().WithObjects(configMap("new")).Build()
			object := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s", OwnerReferences: c.before}}
			changed, err := Offer(t.Context(), live, scheme.Scheme, configMap("new"), object)
			require.NoError(t, err)
			require.Equal(t, c.changed, changed)
			require.Equal(t, c.after, object.OwnerReferences)
			changed, err = Offer(t.Context(), live, scheme.Scheme, configMap("new"), object)
			require.NoError(t, err)
			require.False(t, changed, "nothing is written twice")
			require.Equal(t, c.after[0].UID == "new", Owns(configMap("new"), object))
		})
	}
}

func TestOrphans(t *testing.T) {
	owner := configMap("uid")
	owner.Finalizers = []string{metav1.FinalizerOrphanDependents}
	require.False(t, Orphans(owner), "it is not being deleted")
	now := metav1.Now()
	owner.DeletionTimestamp = &now
	require.True(t, Orphans(owner))
	owner.Finalizers = []string{metav1.FinalizerDeleteDependents}
	require.False(t, Orphans(owner))
}

func TestTake(t *testing.T) {
	former := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "arena", UID: "old"}
	current := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "arena", UID: "new"}
	for name, c := range map[string]struct {
		before []metav1.OwnerReference
		taken  bool
	}{
		"no owner":         {nil, true},
		"former owner":     {[]metav1.OwnerReference{former}, true},
		"owned":            {[]metav1.OwnerReference{current}, false},
		"of somebody else": {[]metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Team", Name: "arena", UID: "blue"}}, false},
		"of another name":  {[]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "duel", UID: "old"}}, false},
		"of somebody else and formerly": {
			[]metav1.OwnerReference{former, {APIVersion: "example.com/v1", Kind: "Team", Name: "blue", UID: "blue"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			live := fake.NewClientBuilder().WithObjects(configMap("new")).Build()
			object := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s", OwnerReferences: c.before}}
			taken, err := Take(t.Context(), live, scheme.Scheme, configMap("new"), object)
			require.NoError(t, err)
			require.Equal(t, c.taken, taken)
			if !c.taken {
				require.Equal(t, c.before, object.OwnerReferences)
				return
			}
			require.Len(t, object.OwnerReferences, 1)
			require.True(t, metav1.IsControlledBy(object, configMap("new")))
		})
	}
}
