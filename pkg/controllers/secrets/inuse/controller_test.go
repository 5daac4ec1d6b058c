// SPDX-License-Identifier: Apache-2.0

package inuse

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

func TestReconcile(t *testing.T) {
	says := func(used bool, err error) User {
		return User{InUse: func(context.Context, types.NamespacedName) (bool, error) { return used, err }}
	}
	broken := errors.New("the cache ended")
	cases := []struct {
		name  string
		users []User
		held  bool
		err   error
	}{
		{"nobody needs it", []User{says(false, nil), says(false, nil)}, false, nil},
		{"one needs it", []User{says(false, nil), says(true, nil)}, true, nil},
		{"not known", []User{says(false, broken)}, true, broken},
		{"no kinds", nil, false, nil},
	}
	for _, c := range cases {
		for _, deleting := range []bool{false, true} {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s",
				Finalizers: []string{secrets.InUseFinalizer, "other/one"}}}
			store := fake.NewClientBuilder().WithObjects(secret).Build()
			if deleting {
				require.NoError(t, store.Delete(t.Context(), secret))
			}
			r := &reconciler{cached: store, protector: secrets.NewProtector(store, store), users: c.users}
			request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(secret)}
			for range 2 {
				_, err := r.Reconcile(t.Context(), request)
				assert.Equal(t, c.err, err, c.name)
			}
			require.NoError(t, store.Get(t.Context(), request.NamespacedName, secret))
			want := []string{"other/one"}
			if c.held {
				want = []string{secrets.InUseFinalizer, "other/one"}
			}
			assert.Equal(t, want, secret.Finalizers, c.name)
		}
	}
	r := &reconciler{cached: secrets.Within(fake.NewClientBuilder().Build(), []string{"served"})}
	_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "s"}})
	require.NoError(t, err, "a namespace that is not served")
	r = &reconciler{cached: fake.NewClientBuilder().Build()}
	_, err = r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "absent"}})
	assert.NoError(t, err)
}

func TestInUse(t *testing.T) {
	const finalizer, index = "roadstead.dev/test", "spec.secretNames"
	object := func(name string, deleted bool, finalizers ...string) client.Object {
		o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Finalizers: finalizers}}
		if deleted {
			o.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}
		return o
	}
	names := func(*corev1.ConfigMap) []string { return []string{"s"} }
	for name, c := range map[string]struct {
		items []client.Object
		want  bool
	}{
		"none":                         {nil, false},
		"new":                          {[]client.Object{object("a", false)}, true},
		"in use":                       {[]client.Object{object("a", false, finalizer)}, true},
		"being deleted":                {[]client.Object{object("a", true, finalizer)}, true},
		"waits for what it owns":       {[]client.Object{object("a", true, metav1.FinalizerDeleteDependents)}, false},
		"one of two waits":             {[]client.Object{object("a", true, metav1.FinalizerDeleteDependents), object("b", false)}, true},
		"being deleted, in foreground": {[]client.Object{object("a", true, metav1.FinalizerDeleteDependents, finalizer)}, true},
	} {
		store := fake.NewClientBuilder().WithObjects(c.items...).
			WithIndex(&corev1.ConfigMap{}, index, func(o client.Object) []string { return names(o.(*corev1.ConfigMap)) }).Build()
		user := NewUser(store, &corev1.ConfigMap{}, &corev1.ConfigMapList{}, index, finalizer, names)
		used, err := user.InUse(t.Context(), types.NamespacedName{Namespace: "team", Name: "s"})
		require.NoError(t, err)
		assert.Equal(t, c.want, used, name)
	}
}
