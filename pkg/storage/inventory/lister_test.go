// SPDX-License-Identifier: Apache-2.0

package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/value"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/storage/compression"
	"roadstead.dev/roadstead/pkg/storage/etcd"
	"roadstead.dev/roadstead/pkg/storage/inventory"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

const prefix = "/registry/roadstead.dev"

func open(t *testing.T) (*clientv3.Client, inventory.Lister) {
	t.Helper()
	server, err := etcd.Start(t.Context(), t.TempDir(), "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client, inventory.Lister{
		KV: client, Prefix: prefix, Ignore: []string{"claims"}, Transformer: compression.Transformers{}.TransformerForResource,
	}
}

func put(t *testing.T, client *clientv3.Client, key, value string) {
	t.Helper()
	_, err := client.Put(t.Context(), prefix+"/"+key, value)
	require.NoError(t, err)
}

func object(name string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"uid":"uid-%s"}}`, name, name)
}

// header describes the present state of etcd.
func header(t *testing.T, client *clientv3.Client) storeidentity.InventoryHeader {
	t.Helper()
	answer, err := client.Get(t.Context(), "any")
	require.NoError(t, err)
	return storeidentity.InventoryHeader{Revision: answer.Header.Revision, EtcdClusterID: strconv.FormatUint(answer.Header.ClusterId, 16)}
}

func list(t *testing.T, lister inventory.Lister, at storeidentity.InventoryHeader) ([]storeidentity.InventoryObject, error) {
	t.Helper()
	var found []storeidentity.InventoryObject
	count, err := lister.List(t.Context(), at, func(object storeidentity.InventoryObject) error {
		found = append(found, object)
		return nil
	})
	require.Len(t, found, count)
	return found, err
}

func TestList_OneRevisionInPages(t *testing.T) {
	client, lister := open(t)
	const objects = 1200
	for n := range objects {
		put(t, client, fmt.Sprintf("g/domains/team/d%04d", n), object(strconv.Itoa(n)))
	}
	put(t, client, "__store/epoch", "{}")
	put(t, client, "claims/g/domains/abc", "a claim")
	at := header(t, client)
	changed := false
	found := 0
	count, err := lister.List(t.Context(), at, func(storeidentity.InventoryObject) error {
		if found++; !changed {
			changed = true
			put(t, client, "g/domains/team/zz", object("later"))
			_, err := client.Delete(t.Context(), prefix+"/g/domains/team/d1199")
			require.NoError(t, err)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, objects, count, "what changes meanwhile does not count")
	require.Equal(t, objects, found)

	later := header(t, client)
	_, err = client.Compact(t.Context(), later.Revision)
	require.NoError(t, err)
	_, err = list(t, lister, at)
	require.ErrorContains(t, err, "compacted", "a list of another revision would be no inventory")
}

func TestList_UnreadableObjects(t *testing.T) {
	client, lister := open(t)
	put(t, client, "g/domains/team/arena", object("arena"))
	put(t, client, "g/domains/team/damaged", "xyz")
	put(t, client, "g/users/team/root", object("root"))
	lister.Transformer = func(resource schema.GroupResource) value.Transformer {
		if resource.Resource == "users" {
			return noSeed{}
		}
		return compression.Transformers{}.TransformerForResource(resource)
	}
	found, err := list(t, lister, header(t, client))
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.Equal(t, storeidentity.InventoryObject{Group: "g", Resource: "domains", Name: "arena", UID: "uid-arena"}, found[0])
	require.Equal(t, "damaged", found[1].Name)
	require.Equal(t, "team", found[1].Namespace)
	require.NotEmpty(t, found[1].Error)
	require.Empty(t, found[1].UID)
	require.Equal(t, storeidentity.InventoryObject{Group: "g", Resource: "users", Namespace: "team", Name: "root", Error: "no seed"}, found[2])
}

type noSeed struct{ value.Transformer }

func (noSeed) TransformFromStorage(context.Context, []byte, value.Context) ([]byte, bool, error) {
	return nil, false, errors.New("no seed")
}

func TestList_OtherEtcdCluster(t *testing.T) {
	client, lister := open(t)
	put(t, client, "g/domains/team/arena", object("arena"))
	at := header(t, client)
	at.EtcdClusterID = "abc"
	_, err := list(t, lister, at)
	require.ErrorContains(t, err, "answered instead of abc")
	at = header(t, client)
	at.Revision += 100
	_, err = list(t, lister, at)
	require.ErrorContains(t, err, "future revision")
}

func TestList_ErrorOfCallback(t *testing.T) {
	client, lister := open(t)
	put(t, client, "g/domains/team/arena", object("arena"))
	stop := errors.New("stop")
	_, err := lister.List(t.Context(), header(t, client), func(storeidentity.InventoryObject) error { return stop })
	require.ErrorIs(t, err, stop)
}

// TestList_EveryKind shows that the metadata of all kinds is read as the server stores them.
func TestList_EveryKind(t *testing.T) {
	client, lister := open(t)
	config := serverstorage.NewDefaultResourceEncodingConfig(apiserver.Scheme)
	encoder, ok := runtime.SerializerInfoForMediaType(apiserver.StorageCodecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	require.True(t, ok)
	want := 0
	for version := range apiserver.DefaultResources().GroupVersionConfigs {
		for kind := range apiserver.Scheme.KnownTypes(version) {
			created, err := apiserver.Scheme.New(version.WithKind(kind))
			require.NoError(t, err)
			accessor, err := meta.Accessor(created)
			if err != nil {
				continue // lists and options
			}
			accessor.SetName("name-" + kind)
			accessor.SetNamespace("team")
			accessor.SetUID(types.UID("uid-" + kind))
			into, err := config.StorageEncodingFor(schema.GroupResource{Group: version.Group})
			require.NoError(t, err)
			data, err := runtime.Encode(apiserver.StorageCodecs.EncoderForVersion(encoder.Serializer, into), created)
			require.NoError(t, err, kind)
			stored, err := lister.Transformer(schema.GroupResource{}).TransformToStorage(t.Context(), data, value.DefaultContext(kind))
			require.NoError(t, err)
			put(t, client, version.Group+"/"+kind+"/team/name-"+kind, string(stored))
			want++
		}
	}
	require.Greater(t, want, 7)
	found, err := list(t, lister, header(t, client))
	require.NoError(t, err)
	require.Len(t, found, want)
	for _, one := range found {
		require.Equal(t, storeidentity.InventoryObject{
			Group: one.Group, Resource: one.Resource, Namespace: "team", Name: "name-" + one.Resource, UID: types.UID("uid-" + one.Resource),
		}, one)
	}
}
