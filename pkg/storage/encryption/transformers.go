// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/utils/ptr"
)

// mark is the prefix of every value that a seed encrypted; the name of the seed follows.
const mark = "k8s:enc:roadstead:v1:"

// ErrUnknownSeed is returned for a value that none of the seeds encrypted.
var ErrUnknownSeed = fmt.Errorf("the store holds objects that were not written with any seed of Secret %s: "+
	"restore the Secret from a backup, or add the missing seed as its last line; the server reads it without a restart", SecretName)

// ErrNotReady is returned for every value until Use has been called.
var ErrNotReady = errors.New("the encryption seeds have not been read yet")

// Transformers encrypt every resource with the first seed and decrypt what any seed encrypted. Plain data is refused: the
// server never writes it. Seeds can be added at any time, and are never forgotten: a value may need a seed that is no
// longer in the Secret.
type Transformers struct {
	onUnknown func(schema.GroupResource)

	mu sync.Mutex
	// seeds are those that were used last, followed by all that were used before.
	seeds   [][]byte
	current atomic.Pointer[value.Transformer]
}

// NewTransformers returns transformers with the given seeds. Without any they return ErrNotReady until Use is called.
// onUnknown is called for each read that fails with ErrUnknownSeed, and must not block.
func NewTransformers(seeds [][]byte, onUnknown func(schema.GroupResource)) (*Transformers, error) {
	t := &Transformers{onUnknown: onUnknown}
	t.current.Store(ptr.To[value.Transformer](failing{ErrNotReady}))
	if len(seeds) == 0 {
		return t, nil
	}
	_, err := t.Use(seeds)
	return t, err
}

// Use sets the seeds: the first one encrypts, and all of them decrypt, as do the seeds that were
// used before. It reports whether the seeds changed.
func (t *Transformers) Use(seeds [][]byte) (changed bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := slices.Clone(seeds)
	for _, before := range t.seeds {
		if !slices.ContainsFunc(all, func(seed []byte) bool { return bytes.Equal(seed, before) }) {
			all = append(all, before)
		}
	}
	known := make([]value.PrefixTransformer, 0, len(all))
	for _, seed := range all {
		transformer, err := newForgetful(seed)
		if err != nil {
			return false, fmt.Errorf("encryption seed: %w", err)
		}
		known = append(known, value.PrefixTransformer{Prefix: writtenBy(seed), Transformer: transformer})
	}
	recordSeeds(seeds)
	if len(all) > 0 && slices.EqualFunc(all, t.seeds, bytes.Equal) {
		return false, nil
	}
	var next value.Transformer = failing{ErrUnknownSeed}
	if len(known) > 0 {
		next = value.NewPrefixTransformers(ErrUnknownSeed, known...)
	}
	t.current.Store(&next)
	t.seeds = all
	return true, nil
}

// writes returns the prefix of the values that the first seed encrypts.
func (t *Transformers) writes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seeds) == 0 {
		return nil
	}
	return writtenBy(t.seeds[0])
}

// writtenBy returns the beginning of all values that a seed encrypted.
func writtenBy(seed []byte) []byte { return []byte(mark + name(seed) + ":") }

// failing returns the same error for every value.
type failing struct{ err error }

func (f failing) TransformFromStorage(context.Context, []byte, value.Context) ([]byte, bool, error) {
	return nil, false, f.err
}

func (f failing) TransformToStorage(context.Context, []byte, value.Context) ([]byte, error) {
	return nil, f.err
}

// TransformerForResource implements value.ResourceTransformers.
func (t *Transformers) TransformerForResource(resource schema.GroupResource) value.Transformer {
	return transformer{all: t, resource: resource}
}

// transformer is the transformer of one resource.
type transformer struct {
	all      *Transformers
	resource schema.GroupResource
}

// TransformFromStorage implements value.Read.
func (t transformer) TransformFromStorage(ctx context.Context, data []byte, at value.Context) ([]byte, bool, error) {
	plain, stale, err := (*t.all.current.Load()).TransformFromStorage(ctx, data, at)
	if errors.Is(err, ErrUnknownSeed) {
		t.all.onUnknown(t.resource)
	}
	return plain, stale, err
}

// TransformToStorage implements value.Write.
func (t transformer) TransformToStorage(ctx context.Context, data []byte, at value.Context) ([]byte, error) {
	return (*t.all.current.Load()).TransformToStorage(ctx, data, at)
}

// Before returns transformers that encrypt with another provider, and also decrypt values of the
// seeds, so that an installation can move to --encryption-provider-config without copying its
// objects.
func (t *Transformers) Before(provider value.ResourceTransformers) value.ResourceTransformers {
	return moving{seeds: t, provider: provider}
}

type moving struct {
	seeds    *Transformers
	provider value.ResourceTransformers
}

// TransformerForResource implements value.ResourceTransformers.
func (m moving) TransformerForResource(resource schema.GroupResource) value.Transformer {
	return movingTransformer{Transformer: m.provider.TransformerForResource(resource), seeds: m.seeds.TransformerForResource(resource)}
}

type movingTransformer struct {
	value.Transformer
	seeds value.Transformer
}

// TransformFromStorage implements value.Read. Values of the seeds are stale: the next write uses
// the provider.
func (m movingTransformer) TransformFromStorage(ctx context.Context, data []byte, at value.Context) ([]byte, bool, error) {
	if !bytes.HasPrefix(data, []byte(mark)) {
		return m.Transformer.TransformFromStorage(ctx, data, at)
	}
	plain, _, err := m.seeds.TransformFromStorage(ctx, data, at)
	return plain, true, err
}

// name returns an identifier of a seed that does not disclose the seed.
func name(seed []byte) string {
	sum := sha256.Sum256(bytes.Join([][]byte{[]byte("roadstead encryption seed"), seed}, []byte{0}))
	return hex.EncodeToString(sum[:8])
}
