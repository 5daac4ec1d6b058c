// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// AdminSecret is the name of the Secret that holds the admin token of a Team.
const AdminSecret = "takaro-admin"

// endpointKinds are the kinds whose deletion changes something in Takaro, with fully qualified
// names.
const endpointKinds = "domains.takaro.roadstead.dev,mockservers.takaro.roadstead.dev"

// Team is a user with edit rights in a namespace. The Secret AdminSecret in the namespace holds the
// admin token of a Takaro.
type Team struct {
	*User
	// Env is the environment of the team.
	Env *Env
	// T is the test that uses the team.
	T *testing.T
	// Takaro is the simulated Takaro that the team uses.
	Takaro *takaro.Server
}

// NewTakaro starts a simulated Takaro for one test.
func NewTakaro(t *testing.T, options takaro.Options) *takaro.Server {
	t.Helper()
	server := takaro.New(options)
	require.NoError(t, server.Start())
	t.Cleanup(server.Close)
	return server
}

// Team creates a team. The remaining objects in its namespace are deleted at the end of the test.
func (e *Env) Team(t *testing.T, server *takaro.Server) *Team {
	t.Helper()
	return e.TeamIn(t, e.Namespace(t), server)
}

// TeamIn creates a team in an existing namespace.
func (e *Env) TeamIn(t *testing.T, namespace string, server *takaro.Server) *Team {
	t.Helper()
	tm := e.team(t, namespace, server)
	tm.StoreToken(AdminSecret, server.AdminToken())
	return tm
}

// TeamWithoutToken creates a team that has no admin token.
func (e *Env) TeamWithoutToken(t *testing.T, server *takaro.Server) *Team {
	t.Helper()
	return e.team(t, e.Namespace(t), server)
}

func (e *Env) team(t *testing.T, namespace string, server *takaro.Server) *Team {
	t.Helper()
	tm := &Team{User: e.User(t, namespace, "edit"), Env: e, T: t, Takaro: server}
	t.Cleanup(func() { e.leave(tm) })
	return tm
}

// leave deletes the remaining objects of a test while its Takaro still responds, so that the
// controller does not keep retrying them during other tests.
func (e *Env) leave(tm *Team) {
	ctx, cancel := context.WithTimeout(context.Background(), Limit)
	defer cancel()
	if tm.T.Failed() {
		out, _, _ := e.Cluster.Kubectl(ctx, "get", endpointKinds+",statefulsets,pods,events", "-n", tm.Namespace, "-o", "wide")
		tm.T.Log(out)
	}
	tm.Takaro.ClearFaults()
	_, _, err := e.Cluster.Kubectl(ctx, "delete", endpointKinds, "--all", "-n", tm.Namespace, "--timeout=50s")
	assert.NoError(tm.T, err)
}

// StoreToken applies a Secret with an admin token.
func (tm *Team) StoreToken(name, token string) {
	tm.T.Helper()
	secret := fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: %s}\nstringData: {adminToken: %q}\n", name, token)
	tm.KubectlIn(tm.T, secret, "apply", "-f", "-")
}

// Fault injects a fault into the Takaro of the team until end is called.
func (tm *Team) Fault(f takaro.Fault) (end func()) {
	tm.T.Helper()
	id, err := tm.Takaro.InjectFault(f)
	require.NoError(tm.T, err)
	return func() { tm.Takaro.RemoveFault(id) }
}

// AwaitDomain waits at most limit until a condition of a Domain matches, see ConditionIs.
func (tm *Team) AwaitDomain(limit time.Duration, name, kind, want string) (domain *v1alpha1.Domain) {
	tm.T.Helper()
	AwaitFor(tm.T, limit, fmt.Sprintf("Domain %s: %s %s", name, kind, want), func() (err error) {
		if domain, err = tm.Domains().Get(tm.T.Context(), name, metav1.GetOptions{}); err != nil {
			return err
		}
		return ConditionIs(domain, domain.Status.Conditions, kind, want)
	})
	return domain
}
