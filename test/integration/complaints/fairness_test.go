// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

// TestFairnessFollowsTheHost verifies that responses carry the UIDs of the flow schema and priority
// level of the cluster that classified the request, that a new flow schema is followed, and that
// the cluster serves the requests of Roadstead before ordinary traffic.
func TestFairnessFollowsTheHost(t *testing.T) {
	u := editor(t)
	address := env.Roadstead.APIServerAddr()
	list := func() http.Header {
		answer := framework.Do(t, direct(u.Config, address), framework.Request{Path: framework.DomainsPath(u.Namespace)})
		require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
		return answer.Header
	}
	flowcontrol := env.Admin.FlowcontrolV1()
	usual, err := flowcontrol.FlowSchemas().Get(t.Context(), "service-accounts", metav1.GetOptions{})
	require.NoError(t, err)
	level, err := flowcontrol.PriorityLevelConfigurations().Get(t.Context(), "workload-low", metav1.GetOptions{})
	require.NoError(t, err)
	header := list()
	require.Equal(t, string(usual.UID), header.Get("X-Kubernetes-Pf-Flowschema-Uid"))
	require.Equal(t, string(level.UID), header.Get("X-Kubernetes-Pf-Prioritylevel-Uid"))

	own, err := flowcontrol.FlowSchemas().Create(t.Context(), &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: env.Name("readers-of-domains")},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "workload-high"}, MatchingPrecedence: 400,
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindServiceAccount,
					ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: u.Namespace, Name: u.Account}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					APIGroups: []string{group}, Resources: []string{"domains"}, Verbs: []string{"list"}, Namespaces: []string{u.Namespace},
				}},
			}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	framework.Await(t, "the new flow schema to hold here", func() error {
		if got := list().Get("X-Kubernetes-Pf-Flowschema-Uid"); got != string(own.UID) {
			return errors.New(got)
		}
		return nil
	})
	admin := direct(env.Cluster.AdminConfig(), address)
	levels := framework.Do(t, admin, framework.Request{Path: "/debug/api_priority_and_fairness/dump_priority_levels"})
	require.Equal(t, http.StatusOK, levels.Code)
	require.Contains(t, string(levels.Body), "workload-high")
	require.Positive(t, metric(t, env.Cluster.AdminConfig(), "apiserver_flowcontrol_dispatched_requests_total", map[string]string{
		"flow_schema": "roadstead-apiserver-access", "priority_level": "workload-high",
	}))
	require.Empty(t, logged(t, env.Roadstead.APIServer().Log(), "flowschemas.flowcontrol.apiserver.k8s.io"), "no right is missing")
}
