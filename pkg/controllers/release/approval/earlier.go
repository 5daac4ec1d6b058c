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

// notJudged reports whether the metadata shows that a CRDSchema may have been created before its
// OperatorVersion, so that it could not be judged then. Creation times have a resolution of one
// second, so some CRDSchemas are checked unnecessarily.
func notJudged(schema, version metav1.Object) bool {
	return !version.GetCreationTimestamp().Time.Before(schema.GetCreationTimestamp().Time)
}

// earlierThan returns requests for the CRDSchemas of an OperatorVersion that were created before
// it.
func (s *schemas) earlierThan(ctx context.Context, version client.Object) []reconcile.Request {
	list := crdschemas.MetadataList()
	if err := s.client.List(ctx, list, client.MatchingFields{crdschemas.ByVersion: version.GetName()}); err != nil {
		return nil // the cache fails only when the process ends
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if notJudged(&list.Items[i], version) {
			requests = append(requests, base.RequestFor("", list.Items[i].Name))
		}
	}
	return requests
}

// ifEarlier returns a request for a CRDSchema that was created before its OperatorVersion but
// appears in the cache after it.
func (s *schemas) ifEarlier(ctx context.Context, schema client.Object) []reconcile.Request {
	for _, name := range crdschemas.VersionCandidates(schema) {
		version := &v1alpha1.OperatorVersion{}
		if err := s.client.Get(ctx, client.ObjectKey{Name: name}, version); err == nil && notJudged(schema, version) {
			return []reconcile.Request{base.RequestFor("", schema.GetName())}
		}
	}
	return nil
}
