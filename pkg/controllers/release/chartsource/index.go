// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// The indexes of the cache that the controllers share.
const (
	// VersionsByOperator finds OperatorVersions by the name of their Operator.
	VersionsByOperator = "spec.operatorRef.name"
	// OperatorsBySecret finds Operators by a Secret that they name, as "namespace/name".
	OperatorsBySecret = "spec.secretKeys"
)

// Indexes are the functions of the indexes, by kind and name.
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

// NamingSecret selects the Operators that name a Secret.
func NamingSecret(secret client.Object) client.MatchingFields {
	return client.MatchingFields{OperatorsBySecret: secret.GetNamespace() + "/" + secret.GetName()}
}

// Index is one of the cache's.
type Index struct {
	Object  client.Object
	Name    string
	Extract client.IndexerFunc
}

// AddIndexes adds them to a cache.
func AddIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	for _, index := range Indexes() {
		if err := indexer.IndexField(ctx, index.Object, index.Name, index.Extract); err != nil {
			return err
		}
	}
	return nil
}
