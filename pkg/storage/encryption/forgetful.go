// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"context"
	"sync/atomic"

	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/aes"
)

// keysKept is the number of values after which a transformer is replaced.
const keysKept = 256

// forgetful is the transformer of a seed with a bounded cache. Each value has a separate key, which
// the transformer of Kubernetes caches for ten minutes. With the values derived from it, a key
// takes more than a kilobyte: for ten thousand objects as much memory as the objects themselves.
// Deriving a key again takes a few microseconds.
type forgetful struct {
	seed    []byte
	current atomic.Pointer[counted]
}

type counted struct {
	value.Transformer
	uses atomic.Int32
}

// newForgetful returns the transformer of a seed, or an error if the seed is too short.
func newForgetful(seed []byte) (*forgetful, error) {
	f := &forgetful{seed: seed}
	fresh, err := f.fresh()
	if err != nil {
		return nil, err
	}
	f.current.Store(fresh)
	return f, nil
}

func (f *forgetful) fresh() (*counted, error) {
	transformer, err := aes.NewHKDFExtendedNonceGCMTransformer(f.seed)
	if err != nil {
		return nil, err
	}
	return &counted{Transformer: transformer}, nil
}

// take returns the transformer for one value.
func (f *forgetful) take() (value.Transformer, error) {
	used := f.current.Load()
	if used.uses.Add(1) <= keysKept {
		return used, nil
	}
	fresh, err := f.fresh()
	if err != nil {
		return nil, err
	}
	f.current.CompareAndSwap(used, fresh)
	return fresh, nil
}

// TransformFromStorage implements value.Read.
func (f *forgetful) TransformFromStorage(ctx context.Context, data []byte, at value.Context) ([]byte, bool, error) {
	transformer, err := f.take()
	if err != nil {
		return nil, false, err
	}
	return transformer.TransformFromStorage(ctx, data, at)
}

// TransformToStorage implements value.Write.
func (f *forgetful) TransformToStorage(ctx context.Context, data []byte, at value.Context) ([]byte, error) {
	transformer, err := f.take()
	if err != nil {
		return nil, err
	}
	return transformer.TransformToStorage(ctx, data, at)
}
