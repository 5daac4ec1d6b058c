// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// The cache indexes that the controllers share.
const (
	// VersionsByOperator indexes OperatorVersions by the name of their Operator.
	VersionsByOperator = "spec.operatorRef.name"
	// OperatorsBySecret indexes Operators by the Secrets that they refer to, as "namespace/name".
	OperatorsBySecret = "spec.secretKeys"
)

// Indexes returns all indexes.
func Indexes() []Index {
	return []Index{
		{&v1alpha1.OperatorVersion{}, VersionsByOperator, func(object client.Object) []string {
			return []string{object.(*v1alpha1.OperatorVersion).Spec.OperatorRef.Name}
		}},
		{&v1alpha1.Operator{}, OperatorsBySecret, func(object client.Object) []string {
			return SecretKeys(object.(*v1alpha1.Operator))
		}},
		{schemas.Metadata(), schemas.ByVersion, schemas.VersionCandidates},
	}
}

// NamingSecret returns the list option that selects the Operators that refer to a Secret.
func NamingSecret(secret client.Object) client.MatchingFields {
	return client.MatchingFields{OperatorsBySecret: secret.GetNamespace() + "/" + secret.GetName()}
}

// Index is an index of the cache.
type Index struct {
	Object  client.Object
	Name    string
	Extract client.IndexerFunc
}

// AddIndexes adds the indexes to a cache.
func AddIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	for _, index := range Indexes() {
		if err := indexer.IndexField(ctx, index.Object, index.Name, index.Extract); err != nil {
			return err
		}
	}
	return nil
}
