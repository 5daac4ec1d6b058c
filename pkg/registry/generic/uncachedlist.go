// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	storeerr "k8s.io/apiserver/pkg/storage/errors"

	"roadstead.dev/roadstead/pkg/storage/etcdstore"
)

// pageSize is the number of objects that one request to etcd reads.
const pageSize = 500

// ListUncached returns the objects in the namespace of ctx for which keep returns true. They are
// read from etcd in pages of one revision. An equally fresh list from the watch cache would wait
// until the cache has received all earlier writes, including those of other kinds, which takes up
// to 100 ms.
func (r *REST) ListUncached(ctx context.Context, keep func(runtime.Object) bool) ([]runtime.Object, error) {
	var kept []runtime.Object
	options := storage.ListOptions{Recursive: true, Predicate: storage.Everything}
	options.Predicate.Limit = pageSize
	for {
		page := r.NewListFunc()
		if err := etcdstore.Uncached(r.Storage.Storage).GetList(ctx, r.KeyRootFunc(ctx), options, page); err != nil {
			return nil, storeerr.InterpretListError(err, r.DefaultQualifiedResource)
		}
		if err := meta.EachListItem(page, func(object runtime.Object) error {
			if keep(object) {
				kept = append(kept, object)
			}
			return nil
		}); err != nil {
			return nil, err
		}
		list, err := meta.ListAccessor(page)
		if err != nil || list.GetContinue() == "" {
			return kept, err
		}
		options.Predicate.Continue = list.GetContinue()
	}
}
