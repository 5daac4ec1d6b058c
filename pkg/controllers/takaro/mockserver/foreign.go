// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// foreignIDs caches, by MockServer, the Takaro ids of domains without a Domain.
type foreignIDs struct {
	mu  sync.Mutex
	ids map[types.UID]string
}

func newForeignIDs() *foreignIDs { return &foreignIDs{ids: map[types.UID]string{}} }

func (f *foreignIDs) id(server types.UID) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, known := f.ids[server]
	return id, known
}

func (f *foreignIDs) set(server types.UID, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids[server] = id
}

func (f *foreignIDs) forget(server types.UID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.ids, server)
}

// foreignMaintenanceWait is the delay between checks of a domain whose changes are not observable
// otherwise.
const foreignMaintenanceWait = 30 * time.Second

// locateForeign is the variant of locate for a domain without a Domain.
func (r *reconciler) locateForeign(ctx context.Context, a *attempt) *base.Blocked {
	record, err := a.Client.FindDomainByReference(ctx, a.server.Spec.ExternalReferenceID)
	if err != nil {
		return problem.Classify("looking for the domain in Takaro", err)
	}
	if record == nil {
		return &base.Blocked{Reason: v1alpha1.ReasonExternalReferenceNotFound, RequeueAfter: problem.ForeignWait, Message: fmt.Sprintf(
			"no Takaro domain carries externalReference %q; waiting for one", a.server.Spec.ExternalReferenceID)}
	}
	a.place = a.placeOf(record.ID)
	r.foreign.set(a.server.UID, record.ID)
	a.limit, a.token = int(record.MaxGameservers), record.ServerRegistrationToken
	if record.State != takaro.StateActive {
		blocked := dormant(fmt.Sprintf("Takaro domain %s is in maintenance or disabled; pods are neither started nor restarted before "+
			"the end of it", record.ID))
		blocked.RequeueAfter = foreignMaintenanceWait
		return blocked
	}
	return nil
}
