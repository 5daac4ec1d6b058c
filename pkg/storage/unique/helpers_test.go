// SPDX-License-Identifier: Apache-2.0

package unique_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/storage"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/generic/storetest"
	"roadstead.dev/roadstead/pkg/storage/etcdstore"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

var scheme = runtime.NewScheme()

func init() { install.Install(scheme) }

// fields are a value of the spec and a list in the status.
var fields = []unique.Field{
	{Path: "spec.externalReferenceId", Values: func(obj runtime.Object) []unique.Value {
		if reference := obj.(*takaro.Domain).Spec.ExternalReferenceID; reference != "" {
			return []unique.Value{{"takaro", reference}}
		}
		return nil
	}},
	{Path: "status.conditions", Folder: "conditions", Values: func(obj runtime.Object) (all []unique.Value) {
		for _, condition := range obj.(*takaro.Domain).Status.Conditions {
			all = append(all, unique.Value{condition.Type})
		}
		return all
	}},
}

// store is storage of Domains in a real etcd.
type store struct {
	*testing.T
	*unique.Storage
	etcdstore.Getter
}

func newStore(t *testing.T) store {
	t.Helper()
	getter := storetest.New(t, scheme, v1alpha1.SchemeGroupVersion)
	getter.Cached = false
	with, err := getter.WithUnique(fields)
	require.NoError(t, err)
	return store{t, newStorage(t, with.(etcdstore.Getter)).(*unique.Storage), getter}
}

// newStorage returns storage of Domains.
func newStorage(t *testing.T, getter etcdstore.Getter) storage.Interface {
	t.Helper()
	options, err := getter.GetRESTOptions(takaro.Resource("domains"), nil)
	require.NoError(t, err)
	made, destroy, err := options.Decorator(options.StorageConfig, "/takaro/domains",
		func(obj runtime.Object) (string, error) { return at(obj.(*takaro.Domain).Name), nil },
		func() runtime.Object { return &takaro.Domain{} }, func() runtime.Object { return &takaro.DomainList{} }, nil, nil, nil)
	require.NoError(t, err)
	t.Cleanup(destroy)
	return made
}

// at is the storage key of a Domain.
func at(name string) string { return "/takaro/domains/ns/" + name }

// domain returns a new Domain with a reference.
func domain(name, reference string) *takaro.Domain {
	return &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name + "-uid")},
		Spec: takaro.DomainSpec{ExternalReferenceID: reference}}
}

func (s store) create(d *takaro.Domain) (*takaro.Domain, error) {
	out := &takaro.Domain{}
	return out, s.Create(s.Context(), at(d.Name), d, out, 0)
}

func (s store) created(d *takaro.Domain) *takaro.Domain {
	s.Helper()
	out, err := s.create(d)
	require.NoError(s, err)
	return out
}

// update changes a Domain, or creates it from an empty one.
func (s store) update(ctx context.Context, name string, change func(*takaro.Domain)) (*takaro.Domain, error) {
	out := &takaro.Domain{}
	return out, s.GuaranteedUpdate(ctx, at(name), out, true, nil, storage.SimpleUpdate(func(obj runtime.Object) (runtime.Object, error) {
		changed := obj.DeepCopyObject().(*takaro.Domain)
		change(changed)
		return changed, nil
	}), nil)
}

// set returns a change that lets the status have these values and no others.
func set(values ...string) func(*takaro.Domain) {
	return func(d *takaro.Domain) {
		d.Status.Conditions = nil
		for _, value := range values {
			d.Status.Conditions = append(d.Status.Conditions, metav1.Condition{Type: value})
		}
	}
}

// read returns a Domain, or nil if it does not exist.
func (s store) read(name string) *takaro.Domain {
	s.Helper()
	out := &takaro.Domain{}
	err := s.Get(s.Context(), at(name), storage.GetOptions{}, out)
	if storage.IsNotFound(err) {
		return nil
	}
	require.NoError(s, err)
	return out
}

func (s store) delete(name string) {
	s.Helper()
	require.NoError(s, s.Delete(s.Context(), at(name), &takaro.Domain{}, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{}))
}

// reference and condition return the paths of the records of values.
func (s store) reference(value string) string { return s.Records.Path("", "takaro\x00"+value) }
func (s store) condition(value string) string { return s.Records.Path("conditions", value) }

// plant writes a record, as a server that is killed before it stores the object.
func (s store) plant(at string, record any) {
	s.Helper()
	text, isText := record.(string)
	if !isText {
		raw, err := json.Marshal(record)
		require.NoError(s, err)
		text = string(raw)
	}
	_, err := s.KV.Put(s.Context(), at, text)
	require.NoError(s, err)
}

// record returns a record and its revision; 0: the record does not exist.
func (s store) record(at string) (claim unique.Claim, revision int64) {
	s.Helper()
	found, err := s.KV.Get(s.Context(), at)
	require.NoError(s, err)
	if len(found.Kvs) == 0 {
		return claim, 0
	}
	require.NoError(s, json.Unmarshal(found.Kvs[0].Value, &claim))
	return claim, found.Kvs[0].ModRevision
}

func (s store) records() int64 {
	s.Helper()
	found, err := s.KV.Get(s.Context(), s.Records.Root(), clientv3.WithPrefix(), clientv3.WithCountOnly())
	require.NoError(s, err)
	return found.Count
}

// owner is the record's owner of a Domain.
func owner(name string) unique.Owner {
	return unique.Owner{Resource: "domains.takaro.roadstead.dev", Namespace: "ns", Name: name, UID: types.UID(name + "-uid")}
}

func requireTaken(t *testing.T, err error, field, value, holder string) {
	t.Helper()
	var taken *unique.TakenError
	require.ErrorAs(t, err, &taken)
	require.Equal(t, field, taken.Field)
	require.Equal(t, value, taken.Value)
	require.Equal(t, owner(holder), taken.Holder)
	require.ErrorContains(t, err, field+`: "`+value+`" is in use by domains.takaro.roadstead.dev ns/`+holder)
}
