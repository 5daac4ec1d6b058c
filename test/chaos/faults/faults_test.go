// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

func TestEveryKindOfAPlanCanBeCarriedOut(t *testing.T) {
	require.Len(t, kinds, len(plan.Kinds()))
	for _, kind := range plan.Kinds() {
		require.NotNil(t, kinds[kind], "%s", kind)
	}
	server := takaro.New(takaro.Options{})
	for _, failure := range slices.Concat(failures, truncations, endless) {
		_, err := server.InjectFault(failure)
		require.NoError(t, err)
	}
}

func TestAFaultEndsEvenWhenTheRunDoes(t *testing.T) {
	w := &world.World{Options: world.Options{Out: io.Discard}, Takaro: takaro.New(takaro.Options{})}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	spans, err := Run(ctx, w, time.Now(), []plan.Fault{
		{Kind: plan.Takaro, For: time.Hour}, {Kind: plan.TakaroClock, At: 2 * time.Hour, For: time.Hour},
	})
	require.NoError(t, err)
	require.Empty(t, spans, "it does not keep the guard away")
	require.Empty(t, w.Takaro.Faults())
}

func TestAFaultThatDoesNotEndIsAnError(t *testing.T) {
	w := &world.World{Options: world.Options{Out: io.Discard}}
	const kind = plan.FaultKind("test")
	kinds[kind] = func(context.Context, *world.World, plan.Fault) (injected, error) {
		return injected{what: "it", heal: func(context.Context) error { return errors.New("stuck") }}, nil
	}
	guardless[kind] = true
	var found time.Time
	before := awaitServed
	awaitServed = func(*world.World, context.Context) { found = time.Now() }
	t.Cleanup(func() { delete(kinds, kind); delete(guardless, kind); awaitServed = before })
	spans, err := Run(t.Context(), w, time.Now(), []plan.Fault{{Kind: kind, For: time.Millisecond}})
	require.ErrorContains(t, err, "test (pick 0) (it) does not end: stuck")
	require.Len(t, spans, 1)
	require.False(t, spans[0].To.Before(found.Add(recovery)), "until kube-apiserver finds a server again")
	kinds[kind] = func(context.Context, *world.World, plan.Fault) (injected, error) {
		return injected{}, errors.New("nobody there")
	}
	_, err = Run(t.Context(), w, time.Now(), []plan.Fault{{Kind: kind, For: time.Hour}})
	require.NoError(t, err, "what cannot begin has no end")
}
