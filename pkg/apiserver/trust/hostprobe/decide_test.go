// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"roadstead.dev/roadstead/pkg/admission"
)

func TestEveryPluginSaysWhatItNeeds(t *testing.T) {
	var parts []string
	for _, need := range Parts() {
		parts = append(parts, need.Part)
		require.NotEqual(t, need.Essential, need.Loss != "", "%s: what can be off says what is lost then", need.Part)
	}
	require.ElementsMatch(t, append(admission.Order(), Fairness, Authentication), parts)
}

var (
	core       = schema.GroupVersion{Version: "v1"}
	namespaces = core.WithResource("namespaces")
	quotas     = core.WithResource("resourcequotas")
	mutating   = admissionregistrationv1.SchemeGroupVersion.WithResource("mutatingadmissionpolicies")
	bindings   = admissionregistrationv1.SchemeGroupVersion.WithResource("mutatingadmissionpolicybindings")
	reader     = Right{Resource: core.WithResource("configmaps"), Verb: "get", Namespace: "kube-system",
		Name: "extension-apiserver-authentication"}
	schemas = flowcontrolv1.SchemeGroupVersion.WithResource("flowschemas")
)

func TestDecide(t *testing.T) {
	for name, tc := range map[string]struct {
		unserved []schema.GroupVersionResource
		denied   []Right
		// want is "part reason what" of each.
		want []string
		// essential is the expected error.
		essential string
	}{
		"all is there": {},
		"a host before 1.36": {
			unserved: []schema.GroupVersionResource{mutating, bindings},
			want: []string{"MutatingAdmissionPolicy NotServed mutatingadmissionpolicies.v1.admissionregistration.k8s.io, " +
				"mutatingadmissionpolicybindings.v1.admissionregistration.k8s.io"},
		},
		"not served counts before forbidden": {
			unserved: []schema.GroupVersionResource{mutating}, denied: []Right{{Resource: bindings, Verb: "list"}},
			want: []string{"MutatingAdmissionPolicy NotServed mutatingadmissionpolicies.v1.admissionregistration.k8s.io"},
		},
		"one right of a plugin": {
			denied: []Right{{Resource: bindings, Verb: "watch"}},
			want:   []string{"MutatingAdmissionPolicy Forbidden watch mutatingadmissionpolicybindings.admissionregistration.k8s.io"},
		},
		"a subresource": {
			denied: []Right{{Resource: quotas, Subresource: "status", Verb: "update"}},
			want:   []string{"ResourceQuota Forbidden update resourcequotas/status"},
		},
		"one object": {
			denied: []Right{reader},
			want:   []string{"Authentication Forbidden get configmaps kube-system/extension-apiserver-authentication"},
		},
		"fairness": {
			unserved: []schema.GroupVersionResource{schemas},
			want:     []string{"PriorityAndFairness NotServed flowschemas.v1.flowcontrol.apiserver.k8s.io"},
		},
		"namespaces": {
			denied: []Right{{Resource: namespaces, Verb: "watch"}},
			want: []string{
				"NamespaceLifecycle Forbidden watch namespaces", "MutatingAdmissionPolicy Forbidden watch namespaces",
				"MutatingAdmissionWebhook Forbidden watch namespaces",
				"ValidatingAdmissionPolicy Forbidden watch namespaces", "ValidatingAdmissionWebhook Forbidden watch namespaces",
			},
		},
		"an essential part that is not served": {
			unserved: []schema.GroupVersionResource{authorizationv1.SchemeGroupVersion.WithResource("subjectaccessreviews")},
			want: []string{
				"SecretReferenceAccess NotServed subjectaccessreviews.v1.authorization.k8s.io",
				"OwnerReferencesPermissionEnforcement NotServed subjectaccessreviews.v1.authorization.k8s.io",
				"DomainAdoption NotServed subjectaccessreviews.v1.authorization.k8s.io",
				"ReleaseEvidence NotServed subjectaccessreviews.v1.authorization.k8s.io",
			},
			essential: inReviews("SecretReferenceAccess") + "\n" + inReviews("OwnerReferencesPermissionEnforcement") + "\n" +
				inReviews("DomainAdoption") + "\n" + inReviews("ReleaseEvidence"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			missing := Decide(Parts(), Facts{Unserved: sets.New(tc.unserved...), Denied: sets.New(tc.denied...)})
			var got []string
			for _, m := range missing {
				got = append(got, m.Part+" "+m.Reason+" "+m.What)
			}
			require.Equal(t, tc.want, got)
			if tc.essential == "" {
				require.NoError(t, Err(missing))
			} else {
				require.EqualError(t, Err(missing), tc.essential)
			}
		})
	}
}

func TestMissing_Message(t *testing.T) {
	needs := Parts()
	of := func(part string) Need {
		return needs[slices.IndexFunc(needs, func(n Need) bool { return n.Part == part })]
	}
	for want, missing := range map[string]Missing{
		"MutatingAdmissionPolicy is off: the cluster does not serve x, which requires a newer Kubernetes version: upgrade the cluster, " +
			"then restart this server. " +
			"Until then the cluster's MutatingAdmissionPolicies do not change objects of Roadstead": {Need: of("MutatingAdmissionPolicy"),
			Reason: NotServed, What: "x"},
		"MutatingAdmissionPolicy: this server lacks the permission to list x in the cluster; apply the ClusterRole roadstead-apiserver of this " +
			"release's manifests, " +
			"or set --disable-admission-plugins=MutatingAdmissionPolicy": {Need: of("MutatingAdmissionPolicy"), Reason: Forbidden, What: "list x"},
		"PriorityAndFairness: this server lacks the permission to list x in the cluster; apply the ClusterRole roadstead-apiserver of this " +
			"release's manifests, " +
			"or set --enable-priority-and-fairness=false": {Need: of(Fairness), Reason: Forbidden, What: "list x"},
		"NamespaceLifecycle: this server lacks the permission to list x in the cluster; apply the ClusterRole roadstead-apiserver of this " +
			"release's manifests": {
			Need: of("NamespaceLifecycle"), Reason: Forbidden, What: "list x"},
	} {
		require.Equal(t, want, missing.Message())
	}
}

// inReviews is the error of an essential part without SubjectAccessReviews.
func inReviews(part string) string {
	return part + " cannot be off, but the cluster does not serve subjectaccessreviews.v1.authorization.k8s.io, which requires a newer " +
		"Kubernetes version: upgrade the cluster, then restart this server"
}
