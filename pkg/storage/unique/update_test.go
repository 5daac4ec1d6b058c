// SPDX-License-Identifier: Apache-2.0

package unique_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

const conditionsField = "status.conditions"

// toA is an update that returns the Domain a, whatever the stored object is.
func (store) toA(runtime.Object) (runtime.Object, error) { return domain("a", "x"), nil }

// TestApply_UnusedClaim: a killed server left the claim of an object that does not exist.
func TestApply_UnusedClaim(t *testing.T) {
	for name, uid := range map[string]string{"of an earlier object": "earlier", "of this very one": "a-uid"} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			left := owner("a")
			left.UID = "earlier"
			s.plant(s.reference("x"), unique.Claim{Key: "takaro\x00x", Owner: left})
			made, err := s.update(t.Context(), "a", func(d *takaro.Domain) { *d = *domain("a", "x") })
			require.NoError(t, err, uid)
			require.Equal(t, made, s.read("a"))
			claim, _ := s.record(s.reference("x"))
			require.Equal(t, owner("a"), claim.Owner)
		})
	}
}

func TestApply_ConcurrentCreate(t *testing.T) {
	s := newStore(t)
	calls := 0
	changed, err := s.update(t.Context(), "a", func(d *takaro.Domain) {
		if calls++; d.UID == "" {
			s.created(domain("a", "x"))
			*d = *domain("a", "y")
			d.UID = "never stored"
			return
		}
		d.Spec.Disabled = true
	})
	require.NoError(t, err)
	require.Equal(t, 2, calls)
	require.True(t, changed.Spec.Disabled)
	require.Equal(t, "x", changed.Spec.ExternalReferenceID)
	require.EqualValues(t, 1, s.records(), "the object that was not stored has left nothing")
}

func TestApply_RefusesWhatIsTaken(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", "x"))
	_, err := s.update(t.Context(), "b", func(d *takaro.Domain) { *d = *domain("b", "x") })
	requireTaken(t, err, referenceField, "x", "a")
	require.Nil(t, s.read("b"))
}

func TestUpdate_MissingObject(t *testing.T) {
	s := newStore(t)
	err := s.GuaranteedUpdate(t.Context(), at("a"), &takaro.Domain{}, false, nil, storage.SimpleUpdate(s.toA), nil)
	require.True(t, storage.IsNotFound(err), "%v", err)
}

func TestReserve_AllValuesOrNone(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", ""))
	s.created(domain("b", ""))
	_, err := s.update(t.Context(), "a", set("one", "two"))
	require.NoError(t, err)
	_, err = s.update(t.Context(), "b", set("three", "two"))
	requireTaken(t, err, conditionsField, "two", "a")
	require.Empty(t, s.read("b").Status.Conditions)
	_, revision := s.record(s.condition("three"))
	require.Zero(t, revision)

	_, err = s.update(t.Context(), "a", set("one"))
	require.NoError(t, err)
	_, err = s.update(t.Context(), "b", set("three", "two"))
	require.NoError(t, err, "a gave it up")
	_, err = s.update(t.Context(), "a", set("one", "two"))
	requireTaken(t, err, conditionsField, "two", "b")
	s.delete("b")
	_, err = s.update(t.Context(), "a", set("one", "two", "three"))
	require.NoError(t, err, "b is gone")
}

func TestReserve_WritesNothingForAChangeThatAddsNothing(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", "x"))
	_, err := s.update(t.Context(), "a", set("one"))
	require.NoError(t, err)
	_, before := s.record(s.condition("one"))
	_, err = s.update(t.Context(), "a", func(d *takaro.Domain) { d.Spec.Disabled = true })
	require.NoError(t, err)
	_, after := s.record(s.condition("one"))
	require.Equal(t, before, after)
}

// TestReserve_PendingCountsUntilTheNextChange: the server was killed after it had claimed the value
// and before it stored the status.
func TestReserve_PendingCountsUntilTheNextChange(t *testing.T) {
	s := newStore(t)
	made := s.created(domain("a", ""))
	s.created(domain("b", ""))
	revision, err := strconv.ParseInt(made.ResourceVersion, 10, 64)
	require.NoError(t, err)
	s.plant(s.condition("one"), unique.Claim{Key: "one", Owner: owner("a"), Pending: revision})
	_, err = s.update(t.Context(), "b", set("one"))
	requireTaken(t, err, conditionsField, "one", "a")
	removed, err := s.Clean(t.Context())
	require.NoError(t, err)
	require.Zero(t, removed)

	_, err = s.update(t.Context(), "a", func(d *takaro.Domain) { d.Labels = map[string]string{"any": "change"} })
	require.NoError(t, err)
	_, err = s.update(t.Context(), "b", set("one"))
	require.NoError(t, err)
}

func TestReserve_StampsItsOwnClaimAgain(t *testing.T) {
	s := newStore(t)
	made := s.created(domain("a", ""))
	s.plant(s.condition("one"), unique.Claim{Key: "one", Owner: owner("a"), Pending: 1})
	_, err := s.update(t.Context(), "a", set("one"))
	require.NoError(t, err)
	claim, _ := s.record(s.condition("one"))
	require.Equal(t, made.ResourceVersion, fmt.Sprint(claim.Pending))
}

// TestReserve_OfAChangeThatWasOvertaken: the object changes between the read and the claim, in the
// storage and in the watch cache.
func TestReserve_OfAChangeThatWasOvertaken(t *testing.T) {
	for name, cached := range map[string]bool{"read": false, "from the cache": true} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			stale := s.created(domain("a", ""))
			calls := 0
			var from runtime.Object
			if cached {
				from = stale
			}
			err := s.GuaranteedUpdate(t.Context(), at("a"), &takaro.Domain{}, false, nil,
				storage.SimpleUpdate(func(obj runtime.Object) (runtime.Object, error) {
					if calls++; calls == 1 {
						_, err := s.update(t.Context(), "a", func(d *takaro.Domain) { d.Spec.Disabled = true })
						require.NoError(t, err)
					}
					changed := obj.DeepCopyObject().(*takaro.Domain)
					set("one")(changed)
					return changed, nil
				}), from)
			require.NoError(t, err)
			require.Equal(t, 2, calls)
			got := s.read("a")
			require.True(t, got.Spec.Disabled, "nothing is lost")
			require.Len(t, got.Status.Conditions, 1)
		})
	}
}

func TestReserve_BoundsWhatOneChangeAdds(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", ""))
	var values []string
	for i := range 101 {
		values = append(values, fmt.Sprint("v", i))
	}
	_, err := s.update(t.Context(), "a", set(values...))
	require.ErrorContains(t, err, "status.conditions: too many values in one update: 101, must be at most 100")
	_, err = s.update(t.Context(), "a", set(values[:100]...))
	require.NoError(t, err)
	_, err = s.update(t.Context(), "a", set(values...))
	require.NoError(t, err)
}

// TestReserve_OneOfMany lets 50 objects race for one value in the status, while a part of the requests is cut at some moment:
// one gets it, and nothing that was left blocks it for ever.
func TestReserve_OneOfMany(t *testing.T) {
	s := newStore(t)
	const many = 50
	for n := range many {
		s.created(domain(fmt.Sprint("d", n), ""))
	}
	for round := range 5 {
		value := fmt.Sprint("v", round)
		var group sync.WaitGroup
		for n := range many {
			group.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if n%2 == 0 {
					ctx, cancel = context.WithTimeout(ctx, rand.N(20*time.Millisecond)) //nolint:gosec // no secret
					defer cancel()
				}
				_, err := s.update(ctx, fmt.Sprint("d", n), set(value))
				var taken *unique.TakenError
				if err != nil && ctx.Err() == nil {
					assert.ErrorAs(t, err, &taken)
				}
			})
		}
		group.Wait()
		require.LessOrEqual(t, s.holders(many, value), 1)
		for n := range many { // The next change of an object voids what a canceled request left. An equal object is no change.
			_, err := s.update(t.Context(), fmt.Sprint("d", n), set(fmt.Sprint(value, "-", n)))
			require.NoError(t, err)
		}
		_, err := s.update(t.Context(), "d0", set(value))
		require.NoError(t, err, "nothing blocks the value")
		require.Equal(t, 1, s.holders(many, value))
	}
}

// holders counts the objects that have a value in the status.
func (s store) holders(many int, value string) (count int) {
	s.Helper()
	for n := range many {
		for _, condition := range s.read(fmt.Sprint("d", n)).Status.Conditions {
			if condition.Type == value {
				count++
			}
		}
	}
	return count
}
