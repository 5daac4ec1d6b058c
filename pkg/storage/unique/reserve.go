// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/storage"
)

// mostAdded is the maximum number of values that one update may add: etcd accepts 128 operations in
// a transaction.
const mostAdded = 100

// reserving returns an update that claims the values which it adds, all or none. The claims count
// from then on while the object is at the revision that the update began with, and later if the
// update is stored.
func (s *Storage) reserving(ctx context.Context, at string, update storage.UpdateFunc) storage.UpdateFunc {
	return func(existing runtime.Object, meta storage.ResponseMeta) (runtime.Object, *uint64, error) {
		if meta.ResourceVersion == 0 {
			return nil, nil, errAbsent
		}
		before := sets.New[string]()
		for _, value := range s.values(existing) {
			before.Insert(value.at)
		}
		object, ttl, err := update(existing, meta)
		if err != nil {
			return nil, nil, err
		}
		added := s.values(object)
		added = slices.DeleteFunc(added, func(value located) bool { return before.Has(value.at) })
		if err := s.reserve(ctx, at, object, added, int64(meta.ResourceVersion)); err != nil { //nolint:gosec // etcd's are int64
			return nil, nil, err
		}
		return object, ttl, nil
	}
}

// reserve claims values for an object that is stored at a revision.
func (s *Storage) reserve(ctx context.Context, at string, object runtime.Object, values []located, revision int64) error {
	if len(values) == 0 {
		return nil
	}
	if len(values) > mostAdded {
		return fmt.Errorf("%s: too many values in one update: %d, must be at most %d", values[0].field.Path, len(values), mostAdded)
	}
	claims, err := s.claims(ctx, object, values, revision)
	if err != nil {
		return err
	}
	_, err = s.take(ctx, at, revision, claims)
	return err
}
