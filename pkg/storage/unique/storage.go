// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.opentelemetry.io/otel/attribute"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/apiserver/pkg/storage/etcd3/metrics"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/component-base/tracing"
)

// Storage is storage of one kind in etcd, below any watch cache, that keeps values unique. Objects are created here and never
// by the storage within, which must refuse that.
type Storage struct {
	storage.Interface
	// Fields are the fields with unique values.
	Fields []Field
	// Records are the claims.
	Records Records
	// KV is the client of etcd.
	KV clientv3.KV
	// Codec, Decoder and Transformer are those of the wrapped storage; ResourcePrefix is the prefix
	// of its objects.
	Codec          runtime.Codec
	Decoder        etcd3.Decoder
	Transformer    value.Transformer
	ResourcePrefix string
	// New returns an empty object. Key returns the storage key of an object, by its namespace and name.
	New func() runtime.Object
	Key func(runtime.Object) (string, error)
}

// slow is the duration from which a create is logged with its steps, as in the generic server.
const slow = 500 * time.Millisecond

var (
	errAbsent = errors.New("the object does not exist")
	errMoved  = errors.New("the object is not at the expected revision")
)

// Create stores an object and the claims of all its values in one transaction. It returns a
// *TakenError if another object has one of the values. ttl must be 0, because an object that
// expires would leave its claims.
func (s *Storage) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	if ttl != 0 {
		return fmt.Errorf("%s: objects with unique values cannot expire", s.Records.Kind)
	}
	at, err := s.path(key)
	if err != nil {
		return err
	}
	ctx, span := tracing.Start(ctx, "Create with claims",
		attribute.String("audit-id", audit.GetAuditIDTruncated(ctx)), attribute.String("key", key),
		attribute.String("group", s.Records.Kind.Group), attribute.String("resource", s.Records.Kind.Resource))
	defer span.End(slow)
	data, stored, err := s.encode(ctx, at, obj)
	if err != nil {
		return err
	}
	claims, err := s.claims(ctx, obj, s.values(obj), 0)
	if err != nil {
		return err
	}
	begin := time.Now()
	revision, err := s.take(ctx, at, 0, claims, clientv3.OpPut(at, string(stored)))
	metrics.RecordEtcdRequest("create", s.Records.Kind, err, begin)
	if errors.Is(err, errMoved) {
		return storage.NewKeyExistsError(at, 0)
	}
	if err != nil || out == nil {
		return err
	}
	return s.Decoder.Decode(data, out, revision)
}

// encode returns an object as the wrapped storage stores it, before and after encryption.
func (s *Storage) encode(ctx context.Context, at string, obj runtime.Object) (data, stored []byte, err error) {
	versioner := s.Versioner()
	if version, err := versioner.ObjectResourceVersion(obj); err == nil && version != 0 {
		return nil, nil, storage.ErrResourceVersionSetOnCreate
	}
	if err := versioner.PrepareObjectForStorage(obj); err != nil {
		return nil, nil, fmt.Errorf("prepare an object for storage: %w", err)
	}
	if data, err = runtime.Encode(s.Codec, obj); err != nil {
		return nil, nil, err
	}
	if stored, err = s.Transformer.TransformToStorage(ctx, data, value.DefaultContext(at)); err != nil {
		return nil, nil, storage.NewInternalError(err)
	}
	return data, stored, nil
}

// path returns the key in etcd of a storage key.
func (s *Storage) path(key string) (string, error) {
	key, err := storage.PrepareKey(s.ResourcePrefix, key, false)
	if err != nil {
		return "", err
	}
	return path.Join("/", s.Records.Prefix) + "/" + strings.TrimPrefix(key, "/"), nil
}

// GuaranteedUpdate changes an object after claiming the values that the change adds. It uses Create
// to create an object.
func (s *Storage) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, cached runtime.Object,
) error {
	at, err := s.path(key)
	if err != nil {
		return err
	}
	for {
		err := s.Interface.GuaranteedUpdate(ctx, key, destination, ignoreNotFound, preconditions, s.reserving(ctx, at, update), cached)
		if errors.Is(err, errAbsent) {
			err = s.createBy(ctx, key, destination, update)
		}
		if !errors.Is(err, errMoved) && !storage.IsExist(err) {
			return err
		}
		// Another request has changed the object: the update is applied to the new version.
		cached = nil
	}
}

// createBy creates the object that an update returns for an empty object.
func (s *Storage) createBy(ctx context.Context, key string, out runtime.Object, update storage.UpdateFunc) error {
	object, ttl, err := update(s.New(), storage.ResponseMeta{})
	if err != nil {
		return err
	}
	if ttl == nil {
		ttl = new(uint64)
	}
	return s.Create(ctx, key, object, out, *ttl)
}
