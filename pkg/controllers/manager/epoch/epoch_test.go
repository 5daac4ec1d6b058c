// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// answers returns the result of reads, by the time since the start.
type answers func(time.Duration) (map[string]string, error)

// script returns the results of reads of the record, by the time since its start.
type script struct {
	client.Reader
	start  time.Time
	answer answers
}

// Get implements client.Reader.
func (s script) Get(_ context.Context, _ client.ObjectKey, object client.Object, _ ...client.GetOption) (err error) {
	object.(*corev1.ConfigMap).Data, err = s.answer(time.Since(s.start))
	return err
}

var (
	resource       = corev1.Resource("configmaps")
	notFound       = apierrors.NewNotFound(resource, storeidentity.ConfigMapName)
	errUnreachable = errors.New("connection refused")
	held           = storeidentity.Anchor{StoreID: "s", Epoch: 1}
)

func recordOf(anchor storeidentity.Anchor) map[string]string {
	return storeidentity.Record{Anchor: anchor, EtcdClusterID: "e", ClusterUID: "c"}.Data()
}

// until returns an error from 10 seconds until end, and the record of the held epoch before and
// after that.
func until(end time.Duration, err error) answers {
	return func(now time.Duration) (map[string]string, error) {
		if now >= 10*time.Second && now < end {
			return nil, err
		}
		return recordOf(held), nil
	}
}

// always returns the same result.
func always(data map[string]string) answers {
	return func(time.Duration) (map[string]string, error) { return data, nil }
}

func TestWatch(t *testing.T) {
	const forever = time.Hour
	proxy := apierrors.NewGenericServerResponse(http.StatusNotFound, "GET", resource, "", "<html>", 0, true)
	before := map[string]string{"storeID": "s", "clusterUID": "c", "revision": "1"}
	var request map[string]string // only annotations contain a request to accept a store
	for name, c := range map[string]struct {
		answer answers
		end    time.Duration // 0: never
		err    string
	}{
		"same epoch":                {answer: always(recordOf(held))},
		"record from before epochs": {answer: always(before)},
		"unreachable":               {answer: until(forever, errUnreachable)},
		"404 of a proxy":            {answer: until(forever, proxy)},
		"forbidden":                 {answer: until(forever, apierrors.NewForbidden(resource, "", nil))},
		"invalid":                   {answer: always(map[string]string{"storeID": "s"})},
		"absent for 25 s":           {answer: until(36*time.Second, notFound)},
		"absent":                    {answer: until(forever, notFound), end: 40 * time.Second, err: "not found for 30s; restarting"},
		"only a request":            {answer: always(request), end: 30 * time.Second, err: "holds no record for 30s"},
		"new epoch": {answer: always(recordOf(storeidentity.Anchor{StoreID: "s", Epoch: 2})), end: 1,
			err: "a new epoch, s/2 instead of s/1; restarting"},
		"other store of equal epoch": {answer: always(recordOf(storeidentity.Anchor{StoreID: "o", Epoch: 1})), end: 1, err: "o/1 instead of s/1"},
		"absent, a read fails within": {end: 30 * time.Second, err: "not found for 30s",
			answer: func(now time.Duration) (map[string]string, error) {
				if now == 15*time.Second {
					return nil, errUnreachable
				}
				return nil, notFound
			}},
		"absent, a record within": {end: 50 * time.Second, err: "not found for 30s", answer: func(now time.Duration) (map[string]string, error) {
			if now == 15*time.Second {
				return recordOf(held), nil
			}
			return nil, notFound
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				start := time.Now()
				err := NewWatch(script{start: start, answer: c.answer}, "n", held).Start(ctx)
				if c.end == 0 {
					require.NoError(t, err)
					require.Error(t, ctx.Err(), "it goes on until the context ends")
					return
				}
				require.ErrorContains(t, err, c.err)
				require.Equal(t, c.end.Truncate(time.Second), time.Since(start))
			})
		})
	}
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		live := script{start: start, answer: func(now time.Duration) (map[string]string, error) {
			switch {
			case now < 10*time.Second:
				return nil, errUnreachable
			case now < time.Hour:
				return nil, notFound
			case now < 2*time.Hour:
				return map[string]string{"storeID": "s"}, nil
			}
			return recordOf(held), nil
		}}
		found, err := Await(t.Context(), live, "n")
		require.NoError(t, err)
		require.Equal(t, held, found)
		require.Equal(t, 2*time.Hour, time.Since(start))
	})
}

func TestAwait_ContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		live := script{start: time.Now(), answer: func(time.Duration) (map[string]string, error) { return nil, notFound }}
		_, err := Await(ctx, live, "n")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestWatch_RunsOnEveryReplica(t *testing.T) {
	require.False(t, NewWatch(nil, "n", held).NeedLeaderElection())
}
