// SPDX-License-Identifier: Apache-2.0

package user

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/takaro"
)

// gate returns what a User waits for at its Domain, which is nil when it is not there; nil when Takaro may be asked. The
// Domain's next change wakes the User.
func gate(user *v1alpha1.User, domain *v1alpha1.Domain) *problem.Problem {
	wait := func(reason, format string, args ...any) *problem.Problem {
		return &problem.Problem{Endpoint: true, Reason: reason, Message: fmt.Sprintf("Domain %q ", user.Spec.DomainRef.Name) + fmt.Sprintf(format, args...)}
	}
	if domain == nil {
		return wait(v1alpha1.ReasonDomainNotFound, "is not in this namespace; waiting for it")
	}
	reachable := meta.FindStatusCondition(domain.Status.Conditions, v1alpha1.ConditionEndpointReady)
	switch {
	case domain.DeletionTimestamp != nil:
		return wait(v1alpha1.ReasonDomainDeleting, "is being deleted, and this object with it")
	case domain.Status.DomainID == "":
		return wait(v1alpha1.ReasonDomainNotReady, "has no Takaro domain yet; waiting for it")
	case reachable != nil && reachable.Status == metav1.ConditionFalse:
		return wait(v1alpha1.ReasonDomainNotReady, "waits itself, with reason %s; see its conditions", reachable.Reason)
	case domainref.InMaintenance(domain):
		return wait(v1alpha1.ReasonDomainInMaintenance, "is in maintenance or disabled; waiting for the end of it")
	}
	return nil
}

// action is what to do about the Takaro side of a User.
type action string

const (
	// keep what was found: Takaro has one user for an e-mail.
	keep action = "keep"
	// refuse: the e-mail is that of the root user, as whom we act ourselves.
	refuse action = "refuse"
	// create a user; there is none.
	create action = "create"
	// remake: there was one, and it is gone.
	remake action = "remake"
)

// decide is a pure function of what was found, nil for none, and of whether the status has an id.
func decide(found *takaro.User, known bool) action {
	switch {
	case found != nil && isRoot(found):
		return refuse
	case found != nil:
		return keep
	case known:
		return remake
	default:
		return create
	}
}

// isRoot tells the user that Takaro made with the domain from one that merely has the role.
func isRoot(user *takaro.User) bool {
	return user.Name == "root" && strings.HasPrefix(strings.ToLower(user.Email), "root@") &&
		slices.ContainsFunc(user.Roles, func(role takaro.AssignedRole) bool { return role.Role.Name == "root" })
}

// drift returns what must change in Takaro, and the names of those fields for people; none when nothing must.
func drift(spec *v1alpha1.UserSpec, record *takaro.User) (takaro.UserUpdate, []string) {
	var update takaro.UserUpdate
	var fields []string
	if record.Name != spec.Name {
		update.Name = &spec.Name
		fields = append(fields, "name")
	}
	if wanted := dashboard(spec); record.IsDashboardUser != wanted {
		update.IsDashboardUser = &wanted
		fields = append(fields, "isDashboardUser")
	}
	return update, fields
}

func dashboard(spec *v1alpha1.UserSpec) bool {
	return spec.DashboardUser == nil || *spec.DashboardUser
}
