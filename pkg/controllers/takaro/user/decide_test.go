// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/takaro"
)

func TestGate(t *testing.T) {
	whole := func(change ...func(*v1alpha1.Domain)) *v1alpha1.Domain {
		domain := &v1alpha1.Domain{Status: v1alpha1.DomainStatus{DomainID: "a-b-c"}}
		for _, do := range change {
			do(domain)
		}
		return domain
	}
	endpoint := func(status metav1.ConditionStatus) func(*v1alpha1.Domain) {
		return func(d *v1alpha1.Domain) {
			d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionEndpointReady, Status: status, Reason: "Why"}}
		}
	}
	for name, c := range map[string]struct {
		domain *v1alpha1.Domain
		want   string
	}{
		"absent":              {nil, v1alpha1.ReasonDomainNotFound},
		"being deleted":       {whole(func(d *v1alpha1.Domain) { d.DeletionTimestamp = ptr.To(metav1.Now()) }), v1alpha1.ReasonDomainDeleting},
		"not made yet":        {whole(func(d *v1alpha1.Domain) { d.Status.DomainID = "" }), v1alpha1.ReasonDomainNotReady},
		"Takaro not reached":  {whole(endpoint(metav1.ConditionFalse)), v1alpha1.ReasonDomainNotReady},
		"in maintenance":      {whole(func(d *v1alpha1.Domain) { d.Spec.MaintenanceMode = true }), v1alpha1.ReasonDomainInMaintenance},
		"disabled":            {whole(func(d *v1alpha1.Domain) { d.Spec.Disabled = true }), v1alpha1.ReasonDomainInMaintenance},
		"whole":               {whole(endpoint(metav1.ConditionTrue)), ""},
		"whole, not reported": {whole(), ""},
	} {
		got := gate(&v1alpha1.User{Spec: v1alpha1.UserSpec{DomainRef: v1alpha1.LocalObjectReference{Name: "arena"}}}, c.domain)
		if c.want == "" {
			assert.Nil(t, got, name)
			continue
		}
		require.NotNil(t, got, name)
		assert.Equal(t, c.want, got.Reason, name)
		assert.Contains(t, got.Message, `Domain "arena"`, name)
		assert.Nil(t, got.Retry, name)
	}
}

func TestDecide(t *testing.T) {
	root := &takaro.User{Name: "root", Email: "root@a-b-c.com", Roles: []takaro.AssignedRole{{Role: takaro.Role{Name: "root", System: true}}}}
	assert.Equal(t, create, decide(nil, false))
	assert.Equal(t, remake, decide(nil, true))
	assert.Equal(t, keep, decide(&takaro.User{}, false))
	assert.Equal(t, keep, decide(&takaro.User{}, true))
	assert.Equal(t, refuse, decide(root, false))
	assert.Equal(t, refuse, decide(root, true))
	powerful := *root
	powerful.Name, powerful.Email = "boss", "boss@example.com"
	assert.Equal(t, keep, decide(&powerful, true), "one that was given the role root is not the root user")
}

func TestDrift(t *testing.T) {
	for name, c := range map[string]struct {
		record takaro.User
		want   []string
	}{
		"none":      {takaro.User{Name: "one", IsDashboardUser: true}, nil},
		"name":      {takaro.User{Name: "two", IsDashboardUser: true}, []string{"name"}},
		"dashboard": {takaro.User{Name: "one"}, []string{"isDashboardUser"}},
		"both":      {takaro.User{}, []string{"name", "isDashboardUser"}},
	} {
		_, fields := drift(&v1alpha1.UserSpec{Name: "one"}, &c.record)
		assert.Equal(t, c.want, fields, name)
	}
	update, fields := drift(&v1alpha1.UserSpec{Name: "one", DashboardUser: ptr.To(false)}, &takaro.User{Name: "one", IsDashboardUser: true})
	assert.Equal(t, []string{"isDashboardUser"}, fields)
	assert.False(t, *update.IsDashboardUser)
	assert.Nil(t, update.Name)
}

func TestRecall(t *testing.T) {
	condition := func(status metav1.ConditionStatus, reason string, generation int64) *metav1.Condition {
		return &metav1.Condition{Type: v1alpha1.ConditionPasswordValid, Status: status, Reason: reason, ObservedGeneration: generation}
	}
	accept := condition(metav1.ConditionTrue, v1alpha1.ReasonPasswordAccepted, 1)
	for name, c := range map[string]struct {
		e    evidence
		want verdict
	}{
		"new":                                {evidence{generation: 1}, untried},
		"accepted":                           {evidence{condition: accept, generation: 1, sameUser: true, samePassword: true}, accepted},
		"accepted, other spec":               {evidence{condition: accept, generation: 2, sameUser: true, samePassword: true}, accepted},
		"accepted, other password":           {evidence{condition: accept, generation: 1, sameUser: true}, untried},
		"accepted, other user":               {evidence{condition: accept, generation: 1, samePassword: true}, untried},
		"given, refused":                     {evidence{condition: condition(metav1.ConditionFalse, v1alpha1.ReasonPasswordRefused, 1), generation: 1, sameUser: true, given: true, samePassword: true}, refused},
		"given, refused, other":              {evidence{condition: condition(metav1.ConditionFalse, v1alpha1.ReasonPasswordRefused, 1), generation: 1, sameUser: true, given: true}, untried},
		"given, refused, other spec":         {evidence{condition: condition(metav1.ConditionFalse, v1alpha1.ReasonPasswordRefused, 1), generation: 2, sameUser: true, given: true, samePassword: true}, untried},
		"generated, refused":                 {evidence{condition: condition(metav1.ConditionFalse, v1alpha1.ReasonPasswordUnknown, 1), generation: 1, sameUser: true}, refused},
		"generated, but given before":        {evidence{condition: condition(metav1.ConditionFalse, v1alpha1.ReasonPasswordRefused, 1), generation: 1, sameUser: true}, untried},
		"a status that nobody of us set":     {evidence{condition: condition(metav1.ConditionUnknown, "x", 1), generation: 1, sameUser: true, samePassword: true}, untried},
		"given, the generated one was tried": {evidence{condition: condition(metav1.ConditionFalse, v1alpha1.ReasonPasswordUnknown, 1), generation: 1, sameUser: true, given: true, samePassword: true}, untried},
	} {
		assert.Equal(t, c.want, recall(c.e), name)
	}
}

func TestPlanRoles(t *testing.T) {
	has := func(names ...string) (roles []takaro.AssignedRole) {
		for _, name := range names {
			roles = append(roles, takaro.AssignedRole{RoleID: "id-" + name, Role: takaro.Role{Name: name}})
		}
		return roles
	}
	for name, c := range map[string]struct {
		wanted, recorded []string
		assigned         []takaro.AssignedRole
		assign           []string
		unassign         []takaro.AssignedRole
	}{
		"none":                         {},
		"new":                          {wanted: []string{"B", "A", "A"}, assign: []string{"A", "B"}},
		"as wanted":                    {wanted: []string{"A"}, recorded: []string{"A"}, assigned: has("A", "User")},
		"taken away by others":         {wanted: []string{"A"}, recorded: []string{"A"}, assigned: has("User"), assign: []string{"A"}},
		"taken out of the spec":        {wanted: []string{"A"}, recorded: []string{"A", "B"}, assigned: has("A", "B"), unassign: has("B")},
		"given by others":              {wanted: []string{"A"}, recorded: []string{"A"}, assigned: has("A", "C", "User")},
		"out of the spec, gone before": {recorded: []string{"B"}, assigned: has("C")},
		"case matters":                 {wanted: []string{"admin"}, assigned: has("Admin"), assign: []string{"admin"}},
	} {
		assert.Equal(t, rolePlan{assign: c.assign, unassign: c.unassign}, planRoles(c.wanted, c.recorded, c.assigned), name)
	}
}

func TestDisposal(t *testing.T) {
	user := func(id string, policy v1alpha1.UserDeletionPolicy) *v1alpha1.User {
		return &v1alpha1.User{Spec: v1alpha1.UserSpec{DeletionPolicy: policy}, Status: v1alpha1.UserStatus{UserID: id}}
	}
	domain := func(deleted bool, policy v1alpha1.DeletionPolicy) *v1alpha1.Domain {
		d := &v1alpha1.Domain{Spec: v1alpha1.DomainSpec{DeletionPolicy: policy}, Status: v1alpha1.DomainStatus{DomainID: "a-b-c"}}
		if deleted {
			d.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1, 0)))
		}
		return d
	}
	begunOne := user("", v1alpha1.UserDeletionPolicyDelete)
	begin(begunOne, "x")
	for name, c := range map[string]struct {
		user   *v1alpha1.User
		domain *v1alpha1.Domain
		want   disposal
	}{
		"never made":                 {user("", v1alpha1.UserDeletionPolicyDelete), domain(false, v1alpha1.DeletionPolicyDelete), nothing},
		"perhaps made":               {begunOne, domain(false, v1alpha1.DeletionPolicyDelete), remove},
		"made":                       {user("1", v1alpha1.UserDeletionPolicyDelete), domain(false, v1alpha1.DeletionPolicyDelete), remove},
		"retained":                   {user("1", v1alpha1.UserDeletionPolicyRetain), domain(false, v1alpha1.DeletionPolicyDelete), leave},
		"domain gone":                {user("1", v1alpha1.UserDeletionPolicyDelete), nil, nothing},
		"domain goes":                {user("1", v1alpha1.UserDeletionPolicyDelete), domain(true, v1alpha1.DeletionPolicyDelete), nothing},
		"domain is disabled":         {user("1", v1alpha1.UserDeletionPolicyDelete), domain(true, v1alpha1.DeletionPolicyDisable), nothing},
		"domain stays in Takaro":     {user("1", v1alpha1.UserDeletionPolicyDelete), domain(true, v1alpha1.DeletionPolicyRetain), remove},
		"retained, and domain stays": {user("1", v1alpha1.UserDeletionPolicyRetain), domain(true, v1alpha1.DeletionPolicyRetain), leave},
	} {
		assert.Equal(t, c.want, disposalOf(c.user, c.domain), name)
	}
}
