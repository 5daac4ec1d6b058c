// SPDX-License-Identifier: Apache-2.0

package unique_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/storage"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

const referenceField = "spec.externalReferenceId"

func TestCreate_StoresObjectAndClaimTogether(t *testing.T) {
	s := newStore(t)
	made := s.created(domain("a", "x"))
	require.NotEmpty(t, made.ResourceVersion)
	claim, revision := s.record(s.reference("x"))
	require.Equal(t, made.ResourceVersion, fmt.Sprint(revision), "one transaction")
	require.Equal(t, unique.Claim{Key: "takaro\x00x", Owner: owner("a")}, claim)
	require.Equal(t, made, s.read("a"))

	s.created(domain("without", ""))
	require.EqualValues(t, 1, s.records(), "who has no value claims nothing")
}

// TestCreate_EncodesAsTheGenericStorage: what is stored must not depend on whether a kind has unique values.
func TestCreate_EncodesAsTheGenericStorage(t *testing.T) {
	s := newStore(t)
	plain := newStorage(t, s.Getter)
	stored := func(made func(d *takaro.Domain) error) string {
		d := domain("a", "x")
		d.Labels, d.Status.Phase = map[string]string{"k": "v"}, "Ready"
		require.NoError(t, made(d))
		raw, err := s.KV.Get(t.Context(), "/registry/test"+at("a"))
		require.NoError(t, err)
		require.Len(t, raw.Kvs, 1)
		s.delete("a")
		return string(raw.Kvs[0].Value)
	}
	var outs [2]takaro.Domain
	want := stored(func(d *takaro.Domain) error { return plain.Create(t.Context(), at("a"), d, &outs[0], 0) })
	got := stored(func(d *takaro.Domain) error { return s.Create(t.Context(), at("a"), d, &outs[1], 0) })
	require.Equal(t, want, got)
	outs[1].ResourceVersion = outs[0].ResourceVersion
	require.Equal(t, outs[0], outs[1])

	for name, create := range map[string]func(*takaro.Domain) error{
		"plain":  func(d *takaro.Domain) error { return plain.Create(t.Context(), at("a"), d, nil, 0) },
		"unique": func(d *takaro.Domain) error { return s.Create(t.Context(), at("a"), d, nil, 0) },
	} {
		d := domain("a", "x")
		d.ResourceVersion = "7"
		require.ErrorIs(t, create(d), storage.ErrResourceVersionSetOnCreate, name)
	}
}

func TestCreate_RefusesWhatIsTaken(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", "x"))
	_, err := s.create(domain("b", "x"))
	requireTaken(t, err, referenceField, "x", "a")
	require.Nil(t, s.read("b"))
	require.EqualValues(t, 1, s.records())
	s.created(domain("b", "X"))
}

func TestCreate_OfANameThatExistsLeavesNoClaim(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", "x"))
	for _, reference := range []string{"x", "y"} {
		d := domain("a", reference)
		d.UID = "another"
		_, err := s.create(d)
		require.True(t, storage.IsExist(err), "%v", err)
	}
	require.EqualValues(t, 1, s.records())
}

// TestCreate_TakesUnusedValues: the owner is checked, independent of the age of the record.
func TestCreate_TakesUnusedValues(t *testing.T) {
	for name, plant := range map[string]func(s store){
		"the owner was deleted":      func(s store) { s.created(domain("a", "x")); s.delete("a") },
		"the owner was never stored": func(s store) { s.plant(s.reference("x"), unique.Claim{Key: "takaro\x00x", Owner: owner("gone")}) },
		"the server of a status died": func(s store) {
			s.plant(s.reference("x"), unique.Claim{Key: "takaro\x00x", Owner: owner("gone"), Pending: 7})
		},
		"another object has the name": func(s store) {
			s.created(domain("a", "y"))
			was := owner("a")
			was.UID = "before"
			s.plant(s.reference("x"), unique.Claim{Owner: was})
		},
		"the owner has another value": func(s store) { s.created(domain("a", "y")); s.plant(s.reference("x"), unique.Claim{Owner: owner("a")}) },
		"the owner changed since": func(s store) {
			s.created(domain("a", "y"))
			s.plant(s.reference("x"), unique.Claim{Owner: owner("a"), Pending: 1})
		},
		"a record of an earlier server": func(s store) { s.plant(s.reference("x"), earlier("gone")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			plant(s)
			require.NoError(t, s.Check(t.Context(), domain("b", "x"), false))
			s.created(domain("b", "x"))
			_, err := s.create(domain("c", "x"))
			requireTaken(t, err, referenceField, "x", "b")
		})
	}
}

// earlier is a record of earlier servers, which used the time in it.
func earlier(name string) string {
	return `{"key":"takaro\u0000x","resource":"domains.takaro.roadstead.dev","namespace":"ns","name":"` + name + `","uid":"` + name +
		`-uid","time":"2026-11-30T10:00:00Z"}`
}

func TestCreate_HeedsRecordsOfEarlierServers(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", "x"))
	s.plant(s.reference("x"), earlier("a"))
	_, err := s.create(domain("b", "x"))
	requireTaken(t, err, referenceField, "x", "a")
}

func TestCreate_UnreadableRecord(t *testing.T) {
	s := newStore(t)
	s.plant(s.reference("x"), "{")
	_, err := s.create(domain("a", "x"))
	require.ErrorContains(t, err, "damaged")
	require.Nil(t, s.read("a"))

	s.plant(s.reference("x"), unique.Claim{Owner: owner("b")})
	_, err = s.KV.Put(t.Context(), "/registry/test"+at("b"), "no object")
	require.NoError(t, err)
	_, err = s.create(domain("a", "x"))
	require.Error(t, err)
	require.Nil(t, s.read("a"), "who owns it is not known")
}

func TestCreate_RefusesObjectsThatExpire(t *testing.T) {
	s := newStore(t)
	require.ErrorContains(t, s.Create(t.Context(), at("a"), domain("a", "x"), nil, 60), "cannot expire")
}

// TestStorageWithin_CreatesNothing: if a later generic server creates objects in another way, requests
// must fail. No object may be created without its claims.
func TestStorageWithin_CreatesNothing(t *testing.T) {
	s := newStore(t)
	const want = "without its claims"
	require.ErrorContains(t, s.Interface.Create(t.Context(), at("a"), domain("a", "x"), nil, 0), want)
	update := storage.SimpleUpdate(s.toA)
	require.ErrorContains(t, s.Interface.GuaranteedUpdate(t.Context(), at("a"), &takaro.Domain{}, true, nil, update, nil), want)
	require.Nil(t, s.read("a"))
}

// TestCreate_OneOfMany also lets half of them apply, cuts some requests at some moment, and leaves a record behind in each
// second round.
func TestCreate_OneOfMany(t *testing.T) {
	s := newStore(t)
	for round := range 10 {
		value := fmt.Sprint("x", round)
		if round%2 == 1 {
			s.plant(s.reference(value), unique.Claim{Key: "takaro\x00" + value, Owner: owner("gone")})
		}
		var group sync.WaitGroup
		for n := range 50 {
			group.Go(func() {
				ctx := t.Context()
				if n%5 == 0 {
					short, cancel := context.WithTimeout(ctx, rand.N(20*time.Millisecond)) //nolint:gosec // no secret
					defer cancel()
					ctx = short
				}
				d := domain(fmt.Sprintf("d%d-%d", round, n), value)
				var err error
				if n%2 == 0 {
					err = s.Create(ctx, at(d.Name), d, nil, 0)
				} else {
					_, err = s.update(ctx, d.Name, func(to *takaro.Domain) { *to = *d })
				}
				var taken *unique.TakenError
				if err != nil && ctx.Err() == nil {
					assert.ErrorAs(t, err, &taken)
					assert.Nil(t, s.read(d.Name))
				}
			})
		}
		group.Wait()
		stored := 0
		for n := range 50 {
			if s.read(fmt.Sprintf("d%d-%d", round, n)) != nil {
				stored++
			}
		}
		require.Equal(t, 1, stored)
	}
	require.EqualValues(t, 10, s.records())
}
