// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
)

// Resource is the resource of the records in an encryption configuration. It is not served.
var Resource = schema.GroupResource{Group: "roadstead.dev", Resource: "claims"}

// Folder is the folder of the records below the store's prefix.
const Folder = "claims"

// Claim is the record of a value. It counts while the stored object has the owner's UID, and has the value or the revision
// Pending.
type Claim struct {
	Key string `json:"key"`
	Owner
	// Pending is the revision of the owner whose next change adds the value to its status; 0: the record was stored with its
	// owner.
	Pending int64 `json:"pending,omitempty"`
}

// Records are the claims of one kind.
type Records struct {
	// Prefix is the prefix of the store, for example /registry/roadstead.dev.
	Prefix string
	// Kind is the resource of the kind.
	Kind schema.GroupResource
	// Transformer encrypts the records, because they contain values such as e-mail addresses.
	Transformer value.Transformer
}

// Root returns the folder of all records of the kind in etcd.
func (r Records) Root() string {
	return path.Join(r.Prefix, Folder, r.Kind.Group, r.Kind.Resource) + "/"
}

// Path returns the key in etcd of the claim of a value, in the folder of its field.
func (r Records) Path(folder, key string) string {
	sum := sha256.Sum256([]byte(key))
	return path.Join(r.Root(), folder, hex.EncodeToString(sum[:]))
}

// encode returns the stored form. It is bound to the path: a record that was copied to another path cannot be decrypted.
func (r Records) encode(ctx context.Context, at string, claim Claim) (string, error) {
	plain, err := json.Marshal(claim)
	if err != nil {
		return "", fmt.Errorf("encode a claim: %w", err)
	}
	record, err := r.Transformer.TransformToStorage(ctx, plain, value.DefaultContext(at))
	if err != nil {
		return "", fmt.Errorf("encrypt a claim: %w", err)
	}
	return string(record), nil
}

func (r Records) decode(ctx context.Context, record *mvccpb.KeyValue) (claim Claim, err error) {
	plain, _, err := r.Transformer.TransformFromStorage(ctx, record.Value, value.DefaultContext(record.Key))
	if err != nil {
		return Claim{}, fmt.Errorf("read a claim: %w", err)
	}
	if err := json.Unmarshal(plain, &claim); err != nil {
		return Claim{}, fmt.Errorf("the record of a claim is damaged: %w", err)
	}
	return claim, nil
}
