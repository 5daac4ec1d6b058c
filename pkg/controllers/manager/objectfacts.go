// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// facts contains what the metrics need from an object. It shares the object's memory and must not
// be modified.
type facts struct {
	kind, phase string
	object      metav1.Object
	conditions  []metav1.Condition
	// finalizer is the finalizer of the controller. It is empty if the kind has none.
	finalizer string
	// installation is set if the object uses the installation's credentials for Takaro.
	installation bool
	// bundledRedis is set if the object uses the installation's Redis.
	bundledRedis bool
}

// place is where the cause of a reason is.
type place int

const (
	// anywhere is for causes that do not depend on a spec.
	anywhere place = iota + 1
	// atTakaro is for causes that are the installation's only if the object uses its credentials.
	atTakaro
	// atRedis is for causes that are the installation's only if the object uses its Redis.
	atRedis
)

// administrators maps the reasons of the condition Ready that an administrator of the installation
// can resolve. A reason that an invalid spec can cause must not be listed, because any user could
// then raise an alert.
var administrators = map[string]place{
	takarov1alpha1.ReasonLedgerNotKept:       anywhere,
	takarov1alpha1.ReasonSeedUnusable:        anywhere,
	releasev1alpha1.ReasonSandboxUnavailable: anywhere,
	takarov1alpha1.ReasonAdminTokenRefused:   atTakaro,
	takarov1alpha1.ReasonEndpointUnavailable: atTakaro,
	takarov1alpha1.ReasonEndpointNotTakaro:   atTakaro,
	takarov1alpha1.ReasonEndpointRefused:     atTakaro,
	takarov1alpha1.ReasonEndpointVerifying:   atTakaro,
	takarov1alpha1.ReasonRateLimited:         atTakaro,
	takarov1alpha1.ReasonSearchIncomplete:    atTakaro,
	takarov1alpha1.ReasonRedisUnavailable:    atRedis,
}

// blocked returns the reason why the object is not Ready if an administrator of the installation
// can resolve it, or "" otherwise.
func (f facts) blocked() string {
	ready := meta.FindStatusCondition(f.conditions, takarov1alpha1.ConditionReady)
	if ready == nil || ready.Status == metav1.ConditionTrue || f.object.GetDeletionTimestamp() != nil {
		return ""
	}
	switch administrators[ready.Reason] {
	case anywhere:
		return ready.Reason
	case atTakaro:
		if f.installation {
			return ready.Reason
		}
	case atRedis:
		if f.bundledRedis {
			return ready.Reason
		}
	}
	return ""
}

// deletion returns the deletion time of an object that waits only for the controller, and for
// nothing in its namespace. Otherwise it returns the zero time.
func (f facts) deletion() time.Time {
	deleted := f.object.GetDeletionTimestamp()
	if deleted == nil || !f.installation || !slices.Contains(f.object.GetFinalizers(), f.finalizer) {
		return time.Time{}
	}
	return deleted.Time
}
