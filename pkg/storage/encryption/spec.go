// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"context"
	"fmt"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/pkg/util/keeper"
)

// loss completes the messages about a missing seed.
const loss = "Without its seed, no stored object can be decrypted. If there is no backup, all objects are lost: " +
	"connect an empty etcd and run: roadstead-apiserver accept-store --id=new --reason=\"...\""

// Spec describes the Secret of the seeds. What depends on it is read by kv below the prefix, so kv must belong to the store
// of this cluster. With a provider (--encryption-provider-config) no seed is generated, and none is needed unless it
// encrypted something.
func Spec(kv clientv3.KV, prefix string, provider bool) keeper.Spec {
	spec := keeper.Spec{
		Name: SecretName, Generate: generate, Parse: fromSecret, Render: render, Loss: loss,
		Required: func(ctx context.Context, secret, remembered [][]byte) (keeper.Required, error) {
			marked, err := readMark(ctx, kv, prefix)
			return required(marked, provider, secret, remembered), err
		},
		Dependents: func(ctx context.Context) (bool, error) { return anyObject(ctx, kv, prefix) },
	}
	if provider {
		spec.Generate = nil
	}
	return spec
}

// required returns what the mark in the store says about the seeds that are needed. Older seeds are needed until the first
// one has encrypted everything.
func required(marked string, provider bool, secret, remembered [][]byte) keeper.Required {
	if marked == byProvider {
		return keeper.Required{Only: provider}
	}
	seedName, found := strings.CutPrefix(marked, mark)
	if !found {
		return keeper.Required{}
	}
	seedName = strings.TrimSuffix(seedName, ":")
	needed := keeper.Required{Only: !provider && len(secret) > 0 && name(secret[0]) == seedName}
	for _, seed := range slices.Concat(secret, remembered) {
		if name(seed) == seedName {
			needed.Fingerprints = []string{keeper.Fingerprint(SecretName, seed)}
			return needed
		}
	}
	// The fingerprint of the seed is unknown, so its name identifies it.
	needed.Fingerprints = []string{seedName}
	return needed
}

// anyObject reports whether the store holds anything that may be encrypted: an object or a claim.
func anyObject(ctx context.Context, kv clientv3.KV, prefix string) (bool, error) {
	internal := prefix + "/__"
	for _, part := range []struct{ from, to string }{
		{prefix + "/", internal},
		{clientv3.GetPrefixRangeEnd(internal), clientv3.GetPrefixRangeEnd(prefix + "/")},
	} {
		found, err := kv.Get(ctx, part.from, clientv3.WithRange(part.to), clientv3.WithLimit(1), clientv3.WithKeysOnly())
		if err != nil {
			return false, fmt.Errorf("list objects in the store: %w", err)
		}
		if len(found.Kvs) > 0 {
			return true, nil
		}
	}
	return false, nil
}
