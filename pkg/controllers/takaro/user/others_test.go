// SPDX-License-Identifier: Apache-2.0

package user

import (
	"strings"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/takaro"
)

// connectAs connects a controller as a reconciliation does.
func (w *world) connectAs(r *reconciler) (*takaro.Client, error) {
	a := &attempt{user: w.user(), domain: &v1alpha1.Domain{}}
	var err error
	if a.domain, err = r.domainOf(w.t.Context(), a.user); err != nil {
		return nil, err
	}
	if blocked := r.connect(w.t.Context(), a); blocked != nil {
		return nil, blocked
	}
	return a.client, nil
}

// removeBehindOurBack deletes the user in Takaro as somebody else would.
func (w *world) removeBehindOurBack() {
	w.t.Helper()
	direct, err := w.connectAs(w.controller(w.store))
	require.NoError(w.t, err)
	require.NoError(w.t, direct.DeleteUser(w.t.Context(), w.domainID, w.inTakaro()[0].ID))
}

// assignBehindOurBack gives the user a role as somebody else would.
func (w *world) assignBehindOurBack(name string) {
	w.t.Helper()
	direct, err := w.connectAs(w.controller(w.store))
	require.NoError(w.t, err)
	roles, err := direct.SearchRoles(w.t.Context(), w.domainID)
	require.NoError(w.t, err)
	for _, role := range roles {
		if role.Name == name {
			require.NoError(w.t, direct.AssignRole(w.t.Context(), w.domainID, w.inTakaro()[0].ID, role.ID))
			return
		}
	}
	require.FailNow(w.t, "no such role", name)
}

// events returns the texts of all events since the last call.
func (w *world) events() string {
	var all []string
	for {
		select {
		case text := <-w.recorder.Events:
			all = append(all, text)
		default:
			return strings.Join(all, "\n")
		}
	}
}
