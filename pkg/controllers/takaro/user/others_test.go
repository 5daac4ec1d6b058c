// SPDX-License-Identifier: Apache-2.0

package user

import (
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// connectAs connects a controller as in a reconciliation.
func (w *world) connectAs(r *reconciler) (*takaro.Client, error) {
	turn := r.Slots.Begin(w.Request())
	defer turn.End()
	a := &attempt{user: w.Object(), Connection: parts.Connection{Turn: turn}, domain: &v1alpha1.Domain{}}
	var err error
	if a.domain, err = domainref.Find(w.T.Context(), r.Client, controllertest.Namespace, testDomain); err != nil {
		return nil, err
	}
	if blocked := r.connect(w.T.Context(), a); blocked != nil {
		return nil, blocked
	}
	return a.Client, nil
}

// removeBehindOurBack deletes the user in Takaro as another client would.
func (w *world) removeBehindOurBack() {
	w.T.Helper()
	direct, err := w.connectAs(w.controller(w.Store))
	require.NoError(w.T, err)
	require.NoError(w.T, direct.DeleteUser(w.T.Context(), w.domainID, w.inTakaro()[0].ID))
}

// limit sets the maximum number of dashboard users of the domain.
func (w *world) limit(users int64) error {
	direct, err := w.connectAs(w.controller(w.Store))
	if err != nil {
		return err
	}
	_, err = direct.UpdateDomain(w.T.Context(), w.domainID, takaro.DomainUpdate{MaxUsers: &users})
	return err
}

// assignBehindOurBack assigns a role to the user as another client would.
func (w *world) assignBehindOurBack(name string) {
	w.T.Helper()
	direct, err := w.connectAs(w.controller(w.Store))
	require.NoError(w.T, err)
	roles, err := direct.SearchRoles(w.T.Context(), w.domainID)
	require.NoError(w.T, err)
	for _, role := range roles {
		if role.Name == name {
			require.NoError(w.T, direct.AssignRole(w.T.Context(), w.domainID, w.inTakaro()[0].ID, role.ID))
			return
		}
	}
	require.FailNow(w.T, "no such role", name)
}
