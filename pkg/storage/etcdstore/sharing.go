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
	// sharedSets is how many sets of fields are known at once. What writes objects of one shape writes the same set, so
	// that a few managers of a few kinds need few.
	sharedSets = 4096
	// largestShared is the size in bytes from which a set is left alone, so that those that nobody else has stay few MiB.
	largestShared = 4 << 10
)

// sharing decodes objects of which equal managedFields are one piece of memory. The watch cache holds each object, and for
// a while what it was before; most of their metadata are these sets, and nearly all are equal.
//
// Nobody may write into an object that was decoded, but into a deep copy of it. That is so in the generic server anyway,
// where watchers share what the watch cache holds.
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
	// What has no metadata has nothing to share.
	if accessor, err := meta.Accessor(object); err == nil {
		managed := accessor.GetManagedFields()
		for i := range managed {
			managed[i].FieldsV1 = s.sets.shared(managed[i].FieldsV1)
		}
	}
	return object, kind, nil
}

// sets are those that were met last, by the hash of their bytes.
type sets struct {
	seed maphash.Seed
	met  *lru.Cache
}

func newSets() *sets { return &sets{maphash.MakeSeed(), lru.New(sharedSets)} }

// shared gives an equal set, which others may have too.
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
