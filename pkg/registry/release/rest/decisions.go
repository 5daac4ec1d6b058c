// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/registry/release/approval"
	"roadstead.dev/roadstead/pkg/registry/release/compatibilityreview"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// addDecisions adds Approvals and CompatibilityReviews.
func (p StorageProvider) addDecisions(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, objects *lookup.Objects,
	storage map[string]rest.Storage) error {
	approvals, err := approval.NewREST(scheme, getter, objects, approval.Options{
		Authorizer: p.Uncached, ControllerUser: p.ControllerUser, SelfApproval: p.SelfApproval, Clock: clock.RealClock{},
	})
	if err != nil {
		return err
	}
	storage["approvals"], storage["approvals/status"] = approvals.Main, approvals.Status
	storage["approvals/approve"], storage["approvals/reject"] = approvals.Approve, approvals.Reject
	storage["compatibilityreviews"] = compatibilityreview.NewREST(scheme, objects)
	return nil
}
