// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/generic/storetest"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// store is the storage of Users in an etcd.
type store struct {
	*testing.T
	*generic.REST
	etcd *clientv3.Client
}

func newStore(t *testing.T) *store {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	metav1.AddToGroupVersion(scheme, v1alpha1.SchemeGroupVersion)
	getter := storetest.New(t, scheme, v1alpha1.SchemeGroupVersion)
	main, _, _, err := NewREST(scheme, getter, authorizerfactory.NewAlwaysAllowAuthorizer(), "controller")
	require.NoError(t, err)
	t.Cleanup(main.Destroy)
	storetest.Ready(t, main)
	return &store{T: t, REST: main, etcd: getter.Client.Etcd()}
}

func (s *store) ctx() context.Context {
	ctx := genericapirequest.WithRequestInfo(s.Context(), &genericapirequest.RequestInfo{APIGroup: takaro.GroupName,
		APIVersion: "v1alpha1", Resource: "users"})
	return genericapirequest.WithNamespace(genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "tester"}), "team")
}

func (s *store) create(name, email string, dry ...string) error {
	_, err := s.Create(s.ctx(), named(name, email), rest.ValidateAllObjectFunc, &metav1.CreateOptions{DryRun: dry})
	return err
}

// apply creates or changes a User as server-side apply does.
func (s *store) apply(name, email string) error {
	_, _, err := s.Update(s.ctx(), name, rest.DefaultUpdatedObjectInfo(named(name, email)), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{})
	return err
}

func (s *store) delete(name string) {
	s.Helper()
	_, _, err := s.Delete(s.ctx(), name, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{})
	require.NoError(s, err)
}

// records returns the number of claims in etcd.
func (s *store) records() int64 {
	s.Helper()
	found, err := s.etcd.Get(s.Context(), "/registry/test/"+unique.Folder, clientv3.WithPrefix(), clientv3.WithCountOnly())
	require.NoError(s, err)
	return found.Count
}

func named(name, email string) *takaro.User {
	return ann(func(u *takaro.User) { u.Name, u.Spec.Email = name, email })
}

func TestIdentity_StoredWithTheUser(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.create("aaa", "a@example.com", metav1.DryRunAll))
	require.Error(t, s.create("bad", "no address"), "an invalid object claims nothing")
	require.Zero(t, s.records())

	require.NoError(t, s.create("aaa", "a@example.com"))
	require.EqualValues(t, 1, s.records())
	for _, dry := range [][]string{nil, {metav1.DryRunAll}} {
		err := s.create("bbb", "A@example.com", dry...)
		require.True(t, apierrors.IsInvalid(err), "%v", err)
		require.ErrorContains(t, err, `spec.email: Duplicate value: "a@example.com": the value is in use by users.takaro.roadstead.dev team/aaa`)
	}
	require.True(t, apierrors.IsAlreadyExists(s.create("aaa", "a@example.com")))
	require.True(t, apierrors.IsAlreadyExists(s.create("aaa", "other@example.com")))
	require.EqualValues(t, 1, s.records(), "what was refused has left nothing")

	require.NoError(t, s.apply("ccc", "c@example.com"))
	require.True(t, apierrors.IsInvalid(s.apply("ddd", "c@example.com")))
	require.EqualValues(t, 2, s.records())

	s.delete("aaa")
	require.NoError(t, s.create("bbb", "a@example.com"))
	s.delete("bbb")
	s.delete("ccc")
	require.Zero(t, s.records())
}

func TestCreate_ConcurrentDuplicates(t *testing.T) {
	s := newStore(t)
	for round := range 10 {
		const many = 8
		results := make([]error, many)
		var group sync.WaitGroup
		for n := range many {
			group.Go(func() {
				make := s.create
				if n%2 == 1 {
					make = func(name, email string, _ ...string) error { return s.apply(name, email) }
				}
				results[n] = make(fmt.Sprintf("u%d-%d", round, n), fmt.Sprintf("u%d@example.com", round))
			})
		}
		group.Wait()
		made := 0
		for _, err := range results {
			if err == nil {
				made++
				continue
			}
			assert.True(t, apierrors.IsInvalid(err), "%v", err)
		}
		require.Equal(t, 1, made)
	}
	require.EqualValues(t, 10, s.records())
	all, err := s.List(s.ctx(), nil)
	require.NoError(t, err)
	require.Len(t, all.(*takaro.UserList).Items, 10)
}
