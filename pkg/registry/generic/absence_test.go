// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// proven returns a storage that proves what inner says is not there, and counts how often it was asked for a proof.
func proven(t *testing.T, inner storage.Interface, verdict error) (storage.Interface, *int) {
	t.Helper()
	guard := &verdicts{verdict: verdict, bound: context.Background()}
	getter := ProveAbsence(genericregistry.RESTOptions{
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object, func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
			return inner, func() {}, nil
		},
	}, guard)
	options, err := getter.GetRESTOptions(schema.GroupResource{}, nil)
	require.NoError(t, err)
	store, _, err := options.Decorator(nil, "", nil, nil, nil, nil, nil, nil)
	require.NoError(t, err)
	return store, &guard.asked
}

// verdicts is a guard that counts how often it is asked.
type verdicts struct {
	verdict error
	bound   context.Context
	asked   int
}

func (v *verdicts) Prove(context.Context) error {
	v.asked++
	return v.verdict
}

func (v *verdicts) While(context.Context) (context.Context, func()) { return v.bound, func() {} }

func TestAStoreThatStopsToAnswerEndsTheWait(t *testing.T) {
	bound, cancel := context.WithCancel(t.Context())
	cancel()
	refusal := apierrors.NewServiceUnavailable("etcd is away")
	store := &provenStorage{Interface: &answers{err: context.Canceled}, guard: &verdicts{verdict: refusal, bound: bound}}
	for name, ask := range every(store) {
		require.Equal(t, refusal, ask(), name)
	}
	store.guard = &verdicts{bound: bound}
	require.True(t, apierrors.IsServiceUnavailable(store.Create(t.Context(), "/a", nil, nil, 0)), "it is back already")
	require.Equal(t, context.Canceled, store.Create(bound, "/a", nil, nil, 0), "the client has gone")
}

func TestNothingIsAbsentWithoutProof(t *testing.T) {
	refusal := apierrors.NewServiceUnavailable("the store is another one")
	for _, verdict := range []error{nil, refusal} {
		missing := &answers{err: storage.NewKeyNotFoundError("/a", 1)}
		store, asked := proven(t, missing, verdict)
		n := 0
		for name, ask := range every(store) {
			n++
			err := ask()
			assert.Equal(t, n, *asked, name)
			if verdict != nil {
				assert.Equal(t, refusal, err, name)
			} else {
				assert.True(t, storage.IsNotFound(err), name)
			}
		}
		missing.err, *asked = nil, 0
		require.Equal(t, verdict, store.GetList(t.Context(), "/", storage.ListOptions{}, &takaro.DomainList{}), "an empty list")
		require.Equal(t, verdict, store.Get(t.Context(), "/a", storage.GetOptions{IgnoreNotFound: true}, &takaro.Domain{}))
		_, err := store.Watch(t.Context(), "/", storage.ListOptions{SendInitialEvents: ptr.To(true)})
		require.Equal(t, verdict, err, "a watch that begins with all there is")
		require.Equal(t, 3, *asked)
	}
}

func TestWhatIsThereNeedsNoProof(t *testing.T) {
	store, asked := proven(t, &answers{found: 2}, errors.New("must not be asked"))
	for name, ask := range every(store) {
		require.NoError(t, ask(), name)
	}
	require.NoError(t, store.Create(t.Context(), "/a", nil, nil, 0))
	require.NoError(t, store.Get(t.Context(), "/a", storage.GetOptions{IgnoreNotFound: true}, &takaro.Domain{}))
	_, err := store.Watch(t.Context(), "/", storage.ListOptions{})
	require.NoError(t, err)
	require.Zero(t, *asked)
}

func TestAnEtcdThatIsAwayOrFullIsUnavailable(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"no leader":      {rpctypes.ErrNoLeader, "did not answer for a moment"},
		"no connection":  {status.Error(codes.Unavailable, "connection refused"), "did not answer for a moment"},
		"quota exceeded": {rpctypes.ErrNoSpace, "roadstead-apiserver defrag"},
	} {
		t.Run(name, func(t *testing.T) {
			store, _ := proven(t, &answers{err: c.err}, nil)
			asked := every(store)
			asked["create"] = func() error { return store.Create(t.Context(), "/a", nil, nil, 0) }
			for name, ask := range asked {
				err := ask()
				require.True(t, apierrors.IsServiceUnavailable(err), "%s: %v", name, err)
				require.ErrorContains(t, err, c.says, name)
			}
		})
	}
	other := errors.New("other")
	store, _ := proven(t, &answers{err: other}, nil)
	for name, ask := range every(store) {
		require.Equal(t, other, ask(), name)
	}
}
