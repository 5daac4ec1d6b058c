// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// maintenanceWait is the delay between checks of a domain that another client put into maintenance.
// Its Domain ends the maintenance.
const maintenanceWait = 30 * time.Second

// rolePlan describes which roles to change.
type rolePlan struct {
	// assign contains the names of roles that the user lacks. Whether they exist in the domain is
	// not known yet.
	assign []string
	// unassign contains roles that the user has and should not have.
	unassign []takaro.AssignedRole
}

// planRoles is a pure function of the roles in the spec, those that the status recorded, and those
// that the user has. Roles that are in neither list were assigned by other clients and are not
// changed.
func planRoles(wanted, recorded []string, assigned []takaro.AssignedRole) rolePlan {
	var plan rolePlan
	has := map[string]bool{}
	for _, role := range assigned {
		has[role.Role.Name] = true
		if slices.Contains(recorded, role.Role.Name) && !slices.Contains(wanted, role.Role.Name) {
			plan.unassign = append(plan.unassign, role)
		}
	}
	for _, name := range union(wanted) {
		if !has[name] {
			plan.assign = append(plan.assign, name)
		}
	}
	return plan
}

// union returns the sorted names of all lists without duplicates.
func union(lists ...[]string) []string {
	all := map[string]bool{}
	for _, list := range lists {
		for _, name := range list {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// assignRoles sets the roles of the user to those in the spec that exist in the domain.
func (r *reconciler) assignRoles(ctx context.Context, a *attempt, record *takaro.User) *base.Blocked {
	plan := planRoles(a.user.Spec.Roles, a.user.Status.Roles, record.Roles)
	var ids map[string]string
	if len(plan.assign) > 0 {
		var blocked *base.Blocked
		if ids, a.missing, blocked = r.lookUp(ctx, a, plan.assign); blocked != nil {
			return blocked
		}
	}
	if len(ids) > 0 {
		if blocked := r.recordRoles(ctx, a); blocked != nil {
			return blocked
		}
	}
	if blocked := r.carryOut(ctx, a, record, plan, ids); blocked != nil {
		return blocked
	}
	a.user.Status.MissingRoles = a.missing
	a.user.Status.Roles = slices.DeleteFunc(union(a.user.Spec.Roles), func(name string) bool { return slices.Contains(a.missing, name) })
	return nil
}

// lookUp returns the ids of the roles that exist in the domain, and the names of the others.
func (r *reconciler) lookUp(ctx context.Context, a *attempt, names []string) (map[string]string, []string, *base.Blocked) {
	known, err := r.roster.rolesOf(ctx, a.place, a.Client, names)
	if takaro.IsTerminal(err) && !takaro.IsUnauthorized(err) && !takaro.IsNotFound(err) {
		// The search has no parameter that could be invalid, so it is rejected because of the
		// domain's state.
		return nil, nil, &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonDomainInMaintenance, RequeueAfter: maintenanceWait,
			Message: fmt.Sprintf(
				"Takaro does not tell the roles of Domain %q, which is in maintenance or disabled there; waiting for the end of it", a.domain.Name)}
	}
	if err != nil {
		return nil, nil, problem.Classify("looking for the roles in Takaro", err)
	}
	ids, missing := map[string]string{}, []string(nil)
	for _, name := range names {
		if id, ok := known[name]; ok {
			ids[name] = id
		} else {
			missing = append(missing, name)
		}
	}
	return ids, missing, nil
}

// recordRoles records in the status which roles are about to be assigned. A role that is removed
// from the spec is then unassigned, regardless of what happened in between.
func (r *reconciler) recordRoles(ctx context.Context, a *attempt) *base.Blocked {
	roles := union(a.user.Status.Roles, a.user.Spec.Roles)
	if len(roles) == len(a.user.Status.Roles) {
		return nil
	}
	a.user.Status.Roles = roles
	reconciling(a.user, "the roles are being assigned in Takaro")
	if err := r.Client.Status().Update(ctx, a.user); err != nil {
		return problem.Classify("recording the roles", err)
	}
	return nil
}

// carryOut changes the roles in Takaro and updates the roster.
func (r *reconciler) carryOut(ctx context.Context, a *attempt, record *takaro.User, plan rolePlan, ids map[string]string) *base.Blocked {
	domainID, changed := a.place.DomainID, *record
	changed.Roles = slices.Clone(record.Roles)
	for _, role := range plan.unassign {
		if err := a.Client.UnassignRole(ctx, domainID, record.ID, role.RoleID); err != nil && !takaro.IsNotFound(err) {
			r.roster.forget(a.place)
			return problem.Classify(fmt.Sprintf("unassigning role %q", role.Role.Name), err)
		}
		changed.Roles = slices.DeleteFunc(changed.Roles, func(other takaro.AssignedRole) bool { return other.RoleID == role.RoleID })
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		err := a.Client.AssignRole(ctx, domainID, record.ID, ids[name])
		if takaro.IsNotFound(err) {
			r.roster.forget(a.place)
			return &base.Blocked{Reason: v1alpha1.ReasonRequestFailed, Err: err,
				Message: fmt.Sprintf("Role %q no longer exists. The roles are read again.", name)}
		}
		if err != nil {
			r.roster.forget(a.place)
			return problem.Classify(fmt.Sprintf("assigning role %q", name), err)
		}
		changed.Roles = append(changed.Roles, takaro.AssignedRole{RoleID: ids[name], Role: takaro.Role{ID: ids[name], Name: name}})
	}
	r.noteRoles(a, record.ID, plan, ids)
	if len(plan.unassign)+len(ids) > 0 {
		r.roster.put(a.place, &changed)
	}
	return nil
}

// noteRoles emits events for roles that other clients had removed or assigned.
func (r *reconciler) noteRoles(a *attempt, id string, plan rolePlan, ids map[string]string) {
	if a.ready && len(ids) > 0 {
		r.Note(a.user, eventDriftCorrected, "Takaro user %s lacked %s and got them back", id, strings.Join(slices.Sorted(maps.Keys(ids)), ", "))
	}
	for _, role := range plan.unassign {
		r.Note(a.user, eventRoleUnassigned, "role %q was taken from Takaro user %s: it is not in the spec any more", role.Role.Name, id)
	}
}
