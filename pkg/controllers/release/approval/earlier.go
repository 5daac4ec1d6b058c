// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	crdschemas "roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// notJudged tells whether nobody could judge a CRDSchema when it was made, as far as that can be told by metadata: its
// OperatorVersion is not older. Times are whole seconds, so some are looked at in vain.
func notJudged(schema, version metav1.Object) bool {
	return !version.GetCreationTimestamp().Time.Before(schema.GetCreationTimestamp().Time)
}

// earlierThan are the CRDSchemas of an OperatorVersion that were made before it.
func (s *schemas) earlierThan(ctx context.Context, version client.Object) []reconcile.Request {
	list := crdschemas.MetadataList()
	if err := s.client.List(ctx, list, client.MatchingFields{crdschemas.ByVersion: version.GetName()}); err != nil {
		return nil // the cache answers; only the end of the process makes it fail
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if notJudged(&list.Items[i], version) {
			requests = append(requests, base.RequestFor("", list.Items[i].Name))
		}
	}
	return requests
}

// ifEarlier is a CRDSchema that is seen only after its OperatorVersion, though it was made before.
func (s *schemas) ifEarlier(ctx context.Context, schema client.Object) []reconcile.Request {
	for _, name := range crdschemas.VersionCandidates(schema) {
		version := &v1alpha1.OperatorVersion{}
		if err := s.client.Get(ctx, client.ObjectKey{Name: name}, version); err == nil && notJudged(schema, version) {
			return []reconcile.Request{base.RequestFor("", schema.GetName())}
		}
	}
	return nil
}
