// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apiserver/crdwebhook"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

const guardConfiguration = "ValidatingWebhookConfiguration/roadstead-crdguard"

func TestGuard(t *testing.T) {
	for folder, policy := range map[string]admissionregistrationv1.FailurePolicyType{
		"guard": admissionregistrationv1.Ignore, "guard-closed": admissionregistrationv1.Fail, "guard-only": admissionregistrationv1.Ignore,
	} {
		t.Run(folder, func(t *testing.T) {
			configuration := convert[admissionregistrationv1.ValidatingWebhookConfiguration](t, render(t, folder), guardConfiguration)
			require.Len(t, configuration.Webhooks, 2)
			require.Equal(t, policy, *configuration.Webhooks[0].FailurePolicy)
			require.Equal(t, admissionregistrationv1.Ignore, *configuration.Webhooks[1].FailurePolicy, "what only warns refuses nothing")
			for _, webhook := range configuration.Webhooks {
				require.Equal(t, admissionregistrationv1.ServiceReference{
					Namespace: "default", Name: "kubernetes", Path: new(crdwebhook.Path(v1alpha1.SchemeGroupVersion)), Port: new(int32(443)),
				}, *webhook.ClientConfig.Service)
				require.Equal(t, admissionregistrationv1.SideEffectClassNone, *webhook.SideEffects)
				require.Equal(t, []string{"v1"}, webhook.AdmissionReviewVersions)
				require.Greater(t, float64(*webhook.TimeoutSeconds), 2*crdpolicy.DefaultLiveBudget.Seconds(),
					"the look at objects leaves time for an answer")
				require.Len(t, webhook.MatchConditions, 1, "nobody is asked about what does not matter")
			}
		})
	}
}

func TestOnlyWhoAsksForItLetsTheGuardListObjects(t *testing.T) {
	role := convert[rbacv1.ClusterRole](t, render(t, "guard"), "ClusterRole/roadstead:crdguard-live")
	require.Empty(t, role.Rules)
	labels := role.AggregationRule.ClusterRoleSelectors[0].MatchLabels
	require.Equal(t, labels, convert[rbacv1.ClusterRole](t, render(t, "crdguard-live"),
		"ClusterRole/roadstead:crdguard-live-everything").Labels)
	for folder := range map[string]bool{"base": true, "guard": true, "guard-only": true} {
		for name, object := range render(t, folder) {
			require.NotEqual(t, labels, object.GetLabels(), "%s: %s", folder, name)
		}
	}
}

func TestGuardOnly(t *testing.T) {
	base, objects := render(t, "base"), render(t, "guard-only")
	set := convert[appsv1.StatefulSet](t, objects, "StatefulSet/roadstead-apiserver")
	options := checkServer(t, set.Spec.Template.Spec, *set.Spec.Replicas)
	require.Equal(t, "false", options.APIEnablement.RuntimeConfig["takaro.roadstead.dev/v1alpha1"])
	require.Contains(t, objects, "APIService/v1alpha1.release.roadstead.dev")
	require.NotContains(t, objects, "APIService/v1alpha1.takaro.roadstead.dev",
		"nobody serves it, and then no namespace of the cluster could be deleted")
	controller := convert[appsv1.Deployment](t, objects, "Deployment/roadstead-controller")
	require.Equal(t, []string{"--groups=release"}, controller.Spec.Template.Spec.Containers[0].Args)
	for _, rule := range convert[rbacv1.ClusterRole](t, objects, "ClusterRole/roadstead-controller").Rules {
		require.NotContains(t, rule.APIGroups, "takaro.roadstead.dev")
		if slices.Contains(rule.APIGroups, "") {
			for _, verb := range []string{"create", "update", "patch", "delete"} {
				require.NotContains(t, rule.Verbs, verb, "%v", rule.Resources)
			}
		}
	}
	require.Greater(t, len(objects), len(base), "all else is there, and the guard")
}
