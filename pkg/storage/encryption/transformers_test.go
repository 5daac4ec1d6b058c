// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/testutil"
	"pgregory.net/rapid"
)

var (
	users   = schema.GroupResource{Group: "g", Resource: "users"}
	domains = schema.GroupResource{Group: "g", Resource: "domains"}
	where   = value.DefaultContext("/registry/g/users/ns/name")
	plain   = []byte("a stored object with a password")
)

// all returns transformers, and the resources for which they reported unknown seeds.
func all(t require.TestingT, seeds ...[]byte) (*Transformers, *[]schema.GroupResource) {
	unknown := &[]schema.GroupResource{}
	transformers, err := NewTransformers(seeds, func(resource schema.GroupResource) { *unknown = append(*unknown, resource) })
	require.NoError(t, err)
	return transformers, unknown
}

func TestRotation(t *testing.T) {
	ctx := t.Context()
	before, _ := all(t, seed(1))
	server, unknown := all(t, seed(1))
	users := server.TransformerForResource(users)
	written, err := before.TransformerForResource(schema.GroupResource{}).TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(written, []byte("k8s:enc:roadstead:v1:")))
	assert.NotContains(t, string(written), "password")

	for _, step := range []struct {
		seeds          [][]byte
		changed, stale bool
	}{
		{[][]byte{seed(1)}, false, false},
		{[][]byte{seed(1), seed(2)}, true, false},
		{[][]byte{seed(2), seed(1)}, true, true},
	} {
		changed, err := server.Use(step.seeds)
		require.NoError(t, err)
		assert.Equal(t, step.changed, changed)
		read, stale, err := users.TransformFromStorage(ctx, written, where)
		require.NoError(t, err)
		assert.Equal(t, plain, read)
		assert.Equal(t, step.stale, stale, "what another seed wrote is written anew at the next change")
	}
	require.NoError(t, testutil.GatherAndCompare(legacyregistry.DefaultGatherer, strings.NewReader(
		"# HELP roadstead_encryption_seed [ALPHA] 1 for each encryption seed that the server read in the Secret, by a name derived "+
			"from it; use is write for the first one and read for the others.\n"+
			"# TYPE roadstead_encryption_seed gauge\n"+
			"roadstead_encryption_seed{seed=\""+name(seed(1))+"\",use=\"read\"} 1\n"+
			"roadstead_encryption_seed{seed=\""+name(seed(2))+"\",use=\"write\"} 1\n"), "roadstead_encryption_seed"))
	assert.Empty(t, *unknown)

	_, err = server.Use([][]byte{seed(2)})
	require.NoError(t, err)
	_, _, err = users.TransformFromStorage(ctx, written, where)
	require.NoError(t, err, "a seed that was removed from the Secret is still known")
	another, _ := all(t, seed(3))
	foreign, err := another.TransformerForResource(schema.GroupResource{}).TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	_, _, err = users.TransformFromStorage(ctx, foreign, where)
	assert.ErrorIs(t, err, ErrUnknownSeed)
	assert.ErrorContains(t, err, SecretName)
	assert.Equal(t, "users.g", (*unknown)[0].String())

	_, err = server.Use([][]byte{{1}})
	assert.Error(t, err, "a short seed")
	again, err := users.TransformToStorage(ctx, plain, where)
	require.NoError(t, err, "the seeds before it stay in use")
	assert.NotContains(t, string(again), "password")
}

func TestEveryValueHasItsOwnKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		transformers, _ := all(t, rapid.SliceOfN(rapid.Byte(), SeedSize, 64).Draw(t, "seed"))
		one := transformers.TransformerForResource(users)
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		first, err := one.TransformToStorage(t.Context(), data, where)
		require.NoError(t, err)
		second, err := one.TransformToStorage(t.Context(), data, where)
		require.NoError(t, err)
		require.NotEqual(t, first, second, "a fresh key for every write")
		read, stale, err := one.TransformFromStorage(t.Context(), first, where)
		require.NoError(t, err)
		require.False(t, stale)
		require.Equal(t, data, append([]byte{}, read...))

		_, _, err = one.TransformFromStorage(t.Context(), first, value.DefaultContext("/registry/g/users/ns/other"))
		require.Error(t, err, "an object that was moved to another key")
		at := rapid.IntRange(0, len(first)-1).Draw(t, "changed byte")
		first[at] ^= 1
		_, _, err = one.TransformFromStorage(t.Context(), first, where)
		require.Error(t, err, "a changed one")
	})
}

func TestPlainDataIsRefused(t *testing.T) {
	for _, seeds := range [][][]byte{{seed(1)}, nil} {
		transformers, unknown := all(t)
		_, err := transformers.Use(seeds)
		require.NoError(t, err)
		_, _, err = transformers.TransformerForResource(domains).TransformFromStorage(t.Context(), plain, where)
		assert.ErrorIs(t, err, ErrUnknownSeed)
		assert.Len(t, *unknown, 1)
	}
	none, _ := all(t)
	_, err := none.Use(nil)
	require.NoError(t, err)
	_, err = none.TransformerForResource(domains).TransformToStorage(t.Context(), plain, where)
	assert.ErrorIs(t, err, ErrUnknownSeed, "without a seed nothing is written")
}

func TestTransformers_NotReadyBeforeUse(t *testing.T) {
	transformers, unknown := all(t)
	domains := transformers.TransformerForResource(domains)
	_, err := domains.TransformToStorage(t.Context(), plain, where)
	require.ErrorIs(t, err, ErrNotReady)
	_, _, err = domains.TransformFromStorage(t.Context(), plain, where)
	require.ErrorIs(t, err, ErrNotReady)
	assert.Empty(t, *unknown, "no resource is refused for this")
}

// other stands for the transformers of --encryption-provider-config.
type other struct{}

func (other) TransformerForResource(schema.GroupResource) value.Transformer {
	return identity.NewEncryptCheckTransformer()
}

func TestMovingToAnotherProvider(t *testing.T) {
	ctx := t.Context()
	seeds, _ := all(t, seed(1))
	written, err := seeds.TransformerForResource(users).TransformToStorage(ctx, plain, where)
	require.NoError(t, err)

	moved := seeds.Before(other{}).TransformerForResource(users)
	read, stale, err := moved.TransformFromStorage(ctx, written, where)
	require.NoError(t, err)
	assert.Equal(t, plain, read)
	assert.True(t, stale)
	anew, err := moved.TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	assert.Equal(t, plain, anew, "the provider writes")
	read, stale, err = moved.TransformFromStorage(ctx, anew, where)
	require.NoError(t, err)
	assert.Equal(t, plain, read)
	assert.False(t, stale)

	without, _ := all(t)
	_, err = without.Use(nil)
	require.NoError(t, err)
	_, _, err = without.Before(other{}).TransformerForResource(users).TransformFromStorage(ctx, written, where)
	assert.ErrorIs(t, err, ErrUnknownSeed)
}
