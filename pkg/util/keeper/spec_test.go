// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGet_RequiredValues(t *testing.T) {
	var required Required
	var failed error
	w := newWorld(t, t.Context())
	w.spec.Required = func(context.Context, [][]byte, [][]byte) (Required, error) { return required, failed }

	w.put("b")
	required.Fingerprints = prints("a")
	var refused *RefusedError
	_, err := w.keeper().Get(w.ctx)
	require.ErrorAs(t, err, &refused, "a value that is in use was replaced before it was recorded")
	assert.Contains(t, refused.Message, prints("a")[0])

	failed = errors.New("the store is unavailable")
	_, err = w.keeper().Get(w.ctx)
	require.ErrorIs(t, err, failed, "a process that knows nothing cannot tell whether a value is missing")

	failed, required = nil, Required{Fingerprints: prints("b")}
	w.put("a b")
	k := w.started()
	w.put("b")
	failed = errors.New("the store is unavailable")
	got, err := k.Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "b a", words(got), "all remembered values count while the store is unavailable")

	failed, required.Only = nil, true
	w.put("b")
	got, err = k.Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "b", words(got), "the value is no longer needed")
	assert.Equal(t, prints("b"), w.record.Fingerprints(secretName))
	w.delete()
	got, err = k.Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "b", words(got))
}

func TestGet_OptionalSecret(t *testing.T) {
	w := newWorld(t, t.Context())
	w.spec.Generate = nil
	got, err := w.keeper().Get(w.ctx)
	require.NoError(t, err)
	assert.Empty(t, got)
	w.put("a")
	k := w.started()
	w.delete()
	_, err = w.keeper().Get(w.ctx)
	require.Error(t, err, "it was in use")
	got, err = k.Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "a", words(got))
}

func TestGet_SingleValue(t *testing.T) {
	w := newWorld(t, t.Context())
	w.spec.Single = true
	w.put("a")
	k := w.started()
	w.put("b")
	got, err := k.Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "a", words(got), "a change that is not accepted is undone")
	assert.Equal(t, "a", w.secret())
	w.put("b", prints("c")[0])
	got, err = k.Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "a", words(got), "another value was accepted")
	w.put("b", prints("b")[0])
	got, err = k.Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "b", words(got))
	assert.Equal(t, prints("b"), w.record.Fingerprints(secretName))
}

func TestGet_Replaceable(t *testing.T) {
	w := newWorld(t, t.Context())
	w.spec.Replaceable = true
	w.record.prints[secretName] = prints("lost")
	w.put(garbage)
	got, err := w.keeper().Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "generated1", words(got))
	assert.Equal(t, []string{EventReplaced}, w.events())
}
