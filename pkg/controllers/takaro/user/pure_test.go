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
	"roadstead.dev/roadstead/pkg/engine/takaro"
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
	synced := func(reason string) func(*v1alpha1.Domain) {
		return func(d *v1alpha1.Domain) {
			d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSynced, Status: metav1.ConditionFalse, Reason: reason}}
		}
	}
	for name, c := range map[string]struct {
		domain *v1alpha1.Domain
		want   string
	}{
		"absent":                 {nil, v1alpha1.ReasonDomainNotFound},
		"being deleted":          {whole(func(d *v1alpha1.Domain) { d.DeletionTimestamp = ptr.To(metav1.Now()) }), v1alpha1.ReasonDomainDeleting},
		"not made yet":           {whole(func(d *v1alpha1.Domain) { d.Status.DomainID = "" }), v1alpha1.ReasonDomainNotReady},
		"Takaro not reached":     {whole(endpoint(metav1.ConditionFalse)), v1alpha1.ReasonDomainNotReady},
		"missing in Takaro":      {whole(synced(v1alpha1.ReasonVanished)), v1alpha1.ReasonDomainNotReady},
		"not as specified":       {whole(synced(v1alpha1.ReasonRequestRefused)), ""},
		"in maintenance":         {whole(func(d *v1alpha1.Domain) { d.Spec.MaintenanceMode = true }), v1alpha1.ReasonDomainInMaintenance},
		"disabled":               {whole(func(d *v1alpha1.Domain) { d.Spec.Disabled = true }), v1alpha1.ReasonDomainInMaintenance},
		"complete":               {whole(endpoint(metav1.ConditionTrue)), ""},
		"complete, not reported": {whole(), ""},
	} {
		got := gate(&v1alpha1.User{Spec: v1alpha1.UserSpec{DomainRef: v1alpha1.LocalObjectReference{Name: "arena"}}}, c.domain)
		if c.want == "" {
			assert.Nil(t, got, name)
			continue
		}
		require.NotNil(t, got, name)
		assert.Equal(t, c.want, got.Reason, name)
		assert.Contains(t, got.Message, `Domain "arena"`, name)
		assert.Nil(t, got.Err, name)
	}
}

func TestIsRoot(t *testing.T) {
	root := takaro.User{Name: "root", Email: "root@a-b-c.com", Roles: []takaro.AssignedRole{{Role: takaro.Role{Name: "root", System: true}}}}
	assert.True(t, isRoot(&root))
	powerful := root
	powerful.Name, powerful.Email = "boss", "boss@example.com"
	assert.False(t, isRoot(&powerful), "one that was given the role root is not the root user")
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

func TestWithDomain(t *testing.T) {
	domain := func(deleted bool, policy v1alpha1.DeletionPolicy) *v1alpha1.Domain {
		d := &v1alpha1.Domain{Spec: v1alpha1.DomainSpec{DeletionPolicy: policy}}
		if deleted {
			d.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1, 0)))
		}
		return d
	}
	assert.True(t, withDomain(nil))
	assert.True(t, withDomain(domain(true, v1alpha1.DeletionPolicyDelete)))
	assert.True(t, withDomain(domain(true, v1alpha1.DeletionPolicyDisable)))
	assert.False(t, withDomain(domain(true, v1alpha1.DeletionPolicyRetain)), "its users would stay")
	assert.False(t, withDomain(domain(false, v1alpha1.DeletionPolicyDelete)))
}
