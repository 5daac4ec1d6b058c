// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"encoding/json"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
)

// ClaimsResource is what a configuration of encryption calls the records of claims. It is not served.
var ClaimsResource = schema.GroupResource{Group: "roadstead.dev", Resource: "claims"}

// ClaimsFolder is where the records lie below the store's prefix.
const ClaimsFolder = "claims"

// encode gives what is stored. The key is bound to it: a record that is moved to another key cannot be read.
func (c *Claims) encode(ctx context.Context, at string, claim Claim) (string, error) {
	plain, err := json.Marshal(claim)
	if err != nil {
		return "", fmt.Errorf("encoding claim: %w", err)
	}
	record, err := c.Transformer.TransformToStorage(ctx, plain, value.DefaultContext(at))
	if err != nil {
		return "", fmt.Errorf("encrypting claim: %w", err)
	}
	return string(record), nil
}

func (c *Claims) decode(ctx context.Context, record *mvccpb.KeyValue) (claim Claim, err error) {
	plain, _, err := c.Transformer.TransformFromStorage(ctx, record.Value, value.DefaultContext(record.Key))
	if err != nil {
		return Claim{}, fmt.Errorf("reading claim: %w", err)
	}
	if err := json.Unmarshal(plain, &claim); err != nil {
		return Claim{}, fmt.Errorf("claim record is damaged: %w", err)
	}
	return claim, nil
}
