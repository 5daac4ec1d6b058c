// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"context"
	"fmt"
	"strconv"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"

	"roadstead.dev/roadstead/pkg/storage/pages"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// Lister lists the objects in etcd.
type Lister struct {
	// KV reads etcd without the checks that refuse a store.
	KV clientv3.KV
	// Prefix is that of the store, for example /registry/roadstead.dev.
	Prefix string
	// Ignore are the folders below Prefix that hold no objects, in addition to everything whose name begins with "__".
	Ignore []string
	// Transformer returns the transformer that decrypts and decompresses the values of a resource.
	// It must have no side effects, because it also reads stores of other installations.
	Transformer func(schema.GroupResource) value.Transformer
}

// List calls each for every object at the revision of the header. It returns the number of objects. The answer is only
// complete without an error. An etcd with another cluster id than that of the header is an error, because a proxy or a list of
// endpoints may lead to more than one.
func (l Lister) List(
	ctx context.Context, header storeidentity.InventoryHeader, each func(storeidentity.InventoryObject) error,
) (count int, err error) {
	for page, err := range pages.All(ctx, l.KV, l.Prefix+"/", growingLimit(), clientv3.WithRev(header.Revision)) {
		if err != nil {
			return count, fmt.Errorf("list the store at revision %d: %w", header.Revision, err)
		}
		if id := strconv.FormatUint(page.Header.ClusterId, 16); id != header.EtcdClusterID {
			return count, fmt.Errorf("list the store: etcd cluster %s answered instead of %s", id, header.EtcdClusterID)
		}
		for _, stored := range page.Kvs {
			object, found := l.object(ctx, stored)
			if !found {
				continue
			}
			count++
			if err := each(object); err != nil {
				return count, err
			}
		}
	}
	return count, nil
}

// object reads the value of a key. It returns false if the value is not an object.
func (l Lister) object(ctx context.Context, stored *mvccpb.KeyValue) (storeidentity.InventoryObject, bool) {
	object, isObject, err := l.parse(string(stored.Key))
	if !isObject {
		return object, false
	}
	if err == nil {
		err = l.read(ctx, stored, &object)
	}
	if err != nil {
		object.Error = err.Error()
	}
	return object, true
}

func (l Lister) read(ctx context.Context, stored *mvccpb.KeyValue, into *storeidentity.InventoryObject) error {
	transformer := l.Transformer(schema.GroupResource{Group: into.Group, Resource: into.Resource})
	plain, _, err := transformer.TransformFromStorage(ctx, stored.Value, value.DefaultContext(stored.Key))
	if err != nil {
		return err
	}
	metadata, err := decode(plain)
	if err != nil {
		return err
	}
	into.Namespace, into.Name, into.UID = metadata.Namespace, metadata.Name, metadata.UID
	return nil
}

const (
	firstPage = int64(32)
	maxPage   = int64(500)
	// pageBytes is the target size of a page. Values differ by three orders of magnitude, so no
	// fixed number of objects bounds the memory of a page.
	pageBytes = 4 << 20
)

// growingLimit returns a limit of pages that follows the size of the page before.
func growingLimit() func(last *clientv3.GetResponse) int64 {
	limit := firstPage
	return func(last *clientv3.GetResponse) int64 {
		if last == nil {
			return limit
		}
		bytes := 0
		for _, stored := range last.Kvs {
			bytes += len(stored.Key) + len(stored.Value)
		}
		limit = nextLimit(limit, bytes)
		return limit
	}
}

// nextLimit returns the number of objects of the page after one of the given number and size. It grows slowly, because large
// objects are stored next to each other.
func nextLimit(limit int64, bytes int) int64 {
	fits := limit * pageBytes / int64(max(bytes, 1))
	return max(1, min(fits, 2*limit, maxPage))
}
