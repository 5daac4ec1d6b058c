// SPDX-License-Identifier: Apache-2.0

// Package compression keeps large objects small in the store: a CustomResourceDefinition of 3 MiB is more than etcd takes in
// one request, and a twentieth of it when compressed.
package compression

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
)

// mark begins every value that was compressed here; what follows is gzip. No encoding of Kubernetes begins like this.
var mark = []byte("roadstead:gzip:v1:")

// maxPlain bounds what a value may unfold to, in bytes: far above what any request may carry.
const maxPlain = 64 << 20

// Transformers compress the values of some resources before others (encryption) get them: what is encrypted cannot be
// compressed any more. Values that were stored without are read as they are.
type Transformers struct {
	// Inner are applied to what was compressed; nil for none.
	Inner value.ResourceTransformers
	// Resources are those whose values are compressed.
	Resources []schema.GroupResource
}

// TransformerForResource implements value.ResourceTransformers.
func (t Transformers) TransformerForResource(resource schema.GroupResource) value.Transformer {
	var inner value.Transformer
	if t.Inner != nil {
		inner = t.Inner.TransformerForResource(resource)
	}
	if !slices.Contains(t.Resources, resource) {
		return inner
	}
	return transformer{inner}
}

// transformer is that of one resource; inner may be nil.
type transformer struct{ inner value.Transformer }

// TransformToStorage implements value.Write.
func (t transformer) TransformToStorage(ctx context.Context, data []byte, at value.Context) ([]byte, error) {
	packed, err := Pack(data)
	if err != nil || t.inner == nil {
		return packed, err
	}
	return t.inner.TransformToStorage(ctx, packed, at)
}

// TransformFromStorage implements value.Read.
func (t transformer) TransformFromStorage(ctx context.Context, data []byte, at value.Context) (plain []byte, stale bool, err error) {
	plain = data
	if t.inner != nil {
		if plain, stale, err = t.inner.TransformFromStorage(ctx, data, at); err != nil {
			return nil, stale, err
		}
	}
	if !bytes.HasPrefix(plain, mark) {
		return plain, true, nil
	}
	plain, err = unpack(plain[len(mark):])
	return plain, stale, err
}

// Pack returns what is handed to encryption. The same data always give the same bytes: an update that changes nothing must
// not look like one.
func Pack(data []byte) ([]byte, error) {
	packed := bytes.NewBuffer(slices.Clone(mark))
	writer := gzip.NewWriter(packed)
	if _, err := writer.Write(data); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	return packed.Bytes(), nil
}

func unpack(packed []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("a stored value is damaged: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(reader, maxPlain+1))
	if err != nil {
		return nil, fmt.Errorf("a stored value is damaged: %w", err)
	}
	if len(plain) > maxPlain {
		return nil, fmt.Errorf("a stored value unfolds to more than %d MiB", maxPlain>>20)
	}
	return plain, nil
}
