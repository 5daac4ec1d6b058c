// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// answers is a storage that returns the given error, or the given number of objects.
type answers struct {
	storage.Interface
	err   error
	found int
}

func (a *answers) Create(context.Context, string, runtime.Object, runtime.Object, uint64) error {
	return a.err
}

func (a *answers) Delete(context.Context, string, runtime.Object, *storage.Preconditions, storage.ValidateObjectFunc, runtime.Object,
	storage.DeleteOptions,
) error {
	return a.err
}

func (a *answers) Get(_ context.Context, _ string, _ storage.GetOptions, into runtime.Object) error {
	if a.found > 0 {
		into.(*takaro.Domain).ResourceVersion = "7"
	}
	return a.err
}

func (a *answers) GetList(_ context.Context, _ string, _ storage.ListOptions, into runtime.Object) error {
	into.(*takaro.DomainList).Items = make([]takaro.Domain, a.found)
	return a.err
}

func (a *answers) GuaranteedUpdate(context.Context, string, runtime.Object, bool, *storage.Preconditions, storage.UpdateFunc,
	runtime.Object,
) error {
	return a.err
}

func (a *answers) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	return watch.NewFake(), a.err
}

// every returns all operations of the storage of a resource.
func every(store storage.Interface) map[string]func() error {
	ctx := context.Background()
	return map[string]func() error{
		"get":    func() error { return store.Get(ctx, "/a", storage.GetOptions{}, &takaro.Domain{}) },
		"update": func() error { return store.GuaranteedUpdate(ctx, "/a", nil, false, nil, nil, nil) },
		"delete": func() error { return store.Delete(ctx, "/a", nil, nil, nil, nil, storage.DeleteOptions{}) },
		"list":   func() error { return store.GetList(ctx, "/", storage.ListOptions{}, &takaro.DomainList{}) },
	}
}

// reporting returns a storage that reports the errors of inner.
func reporting(t *testing.T, inner storage.Interface) storage.Interface {
	t.Helper()
	getter := ReportUnavailable(genericregistry.RESTOptions{
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object,
			func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers,
		) (storage.Interface, factory.DestroyFunc, error) {
			return inner, func() {}, nil
		},
	})
	options, err := getter.GetRESTOptions(schema.GroupResource{}, nil)
	require.NoError(t, err)
	store, _, err := options.Decorator(nil, "", nil, nil, nil, nil, nil, nil)
	require.NoError(t, err)
	return store
}

// refusal is an error of the KV that checks every response of etcd.
type refusal codes.Code

func (r refusal) Error() string              { return "refused" }
func (r refusal) GRPCStatus() *status.Status { return status.New(codes.Code(r), r.Error()) }
func (r refusal) Status() metav1.Status      { return metav1.Status{} }

func TestReportUnavailable_Messages(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"no leader":                    {rpctypes.ErrNoLeader, "Roadstead's store (etcd) is unavailable"},
		"no connection":                {status.Error(codes.Unavailable, "connection refused"), "Roadstead's store (etcd) is unavailable"},
		"unreachable":                  {storage.NewUnreachableError("/a", 1), "Roadstead's store (etcd) is unavailable"},
		"quota exceeded":               {rpctypes.ErrNoSpace, "roadstead-apiserver defrag"},
		"another store":                {refusal(codes.FailedPrecondition), "is not the one that this server uses: refused"},
		"another store, wrapped":       {fmt.Errorf("list: %w", refusal(codes.FailedPrecondition)), "is not the one that this server uses"},
		"a store that is not used yet": {refusal(codes.Unavailable), "is not ready yet: refused"},
	} {
		t.Run(name, func(t *testing.T) {
			store := reporting(t, &answers{err: c.err})
			asked := every(store)
			asked["create"] = func() error { return store.Create(t.Context(), "/a", nil, nil, 0) }
			asked["watch"] = func() error {
				_, err := store.Watch(t.Context(), "/", storage.ListOptions{})
				return err
			}
			for name, ask := range asked {
				err := ask()
				require.True(t, apierrors.IsServiceUnavailable(err), "%s: %v", name, err)
				require.ErrorContains(t, err, c.says, name)
			}
		})
	}
}

func TestReportUnavailable_PassesOtherAnswers(t *testing.T) {
	for _, other := range []error{
		nil, errors.New("other"), context.Canceled, storage.NewKeyNotFoundError("/a", 1), rpctypes.ErrCompacted,
		// etcd uses this code for other errors.
		status.Error(codes.FailedPrecondition, "not the leader"),
	} {
		for name, ask := range every(reporting(t, &answers{err: other})) {
			require.Equal(t, other, ask(), name)
		}
	}
}
