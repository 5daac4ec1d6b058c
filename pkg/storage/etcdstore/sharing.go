// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	"hash/maphash"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/lru"
)

const (
	// sharedSets is the maximum number of cached sets of fields. A manager that writes objects of
	// one shape writes the same set, so a few managers of a few kinds need few sets.
	sharedSets = 4096
	// largestShared is the size in bytes from which a set is not shared, which bounds the cache to
	// a few MiB.
	largestShared = 4 << 10
)

// sharing decodes objects such that equal managedFields share memory. The watch cache contains each
// object, and its previous versions for some time; these sets are the largest part of the metadata,
// and nearly all are equal.
//
// A decoded object must not be changed, only a deep copy of it. The generic server requires this
// anyway, because watchers share the objects of the watch cache.
type sharing struct {
	runtime.Codec
	sets *sets
}

// Decode implements runtime.Decoder.
func (s sharing) Decode(
	data []byte, defaults *schema.GroupVersionKind, into runtime.Object,
) (runtime.Object, *schema.GroupVersionKind, error) {
	object, kind, err := s.Codec.Decode(data, defaults, into)
	if err != nil {
		return object, kind, err
	}
	// An object without metadata has nothing to share.
	if accessor, err := meta.Accessor(object); err == nil {
		managed := accessor.GetManagedFields()
		for i := range managed {
			managed[i].FieldsV1 = s.sets.shared(managed[i].FieldsV1)
		}
	}
	return object, kind, nil
}

// sets are the most recently used sets of fields, by the hash of their bytes.
type sets struct {
	seed maphash.Seed
	met  *lru.Cache
}

func newSets() *sets { return &sets{maphash.MakeSeed(), lru.New(sharedSets)} }

// shared returns an equal set that other objects may share.
func (s *sets) shared(set *metav1.FieldsV1) *metav1.FieldsV1 {
	raw := set.GetRawBytes()
	if len(raw) == 0 || len(raw) >= largestShared {
		return set
	}
	hash := maphash.Bytes(s.seed, raw)
	if met, found := s.met.Get(hash); found {
		if met, ok := met.(*metav1.FieldsV1); ok && met.Equal(*set) {
			return met
		}
	}
	s.met.Add(hash, set)
	return set
}
