// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	validatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"

	"roadstead.dev/roadstead/pkg/admission/domainadoption"
	"roadstead.dev/roadstead/pkg/admission/domainreference"
	"roadstead.dev/roadstead/pkg/admission/ownerreferences"
	"roadstead.dev/roadstead/pkg/admission/releaseevidence"
	"roadstead.dev/roadstead/pkg/admission/secretaccess"
)

// Parts that are not admission plugins.
const (
	// Fairness is priority and fairness with the FlowSchemas of the cluster.
	Fairness = "PriorityAndFairness"
	// Authentication authenticates the aggregation layer, whose CA is in a ConfigMap of the
	// cluster.
	Authentication = "Authentication"
)

// defaultGrant is the object that grants most permissions.
const defaultGrant = "ClusterRole roadstead-apiserver"

// Need is what a part of the server needs from the cluster.
type Need struct {
	// Part is the admission plugin or feature.
	Part string
	// Essential parts are never disabled: the server does not start in a cluster that does not
	// serve what they need.
	Essential bool
	// Loss is the consequence of a disabled part, for messages.
	Loss string
	// Rights are the required permissions of this server. Their resources must be served.
	Rights []Right
	// Grant is the object of the manifests that grants the permissions. Empty: the ClusterRole
	// roadstead-apiserver.
	Grant string
}

// Right is a verb on a resource of the cluster, in all namespaces, or on one object. It is
// comparable.
type Right struct {
	Resource    schema.GroupVersionResource
	Subresource string
	Verb        string
	// Namespace and Name are those of the object; empty for all objects.
	Namespace, Name string
}

// Parts returns the needs of every admission plugin and feature. A test fails if a plugin is
// missing.
func Parts() []Need {
	namespaces := rights(corev1.SchemeGroupVersion.WithResource("namespaces"), "get", "list", "watch")
	review := rights(authorizationv1.SchemeGroupVersion.WithResource("subjectaccessreviews"), "create")
	registration := func(resources ...string) []Right {
		all := slices.Clone(namespaces)
		for _, resource := range resources {
			all = append(all, rights(admissionregistrationv1.SchemeGroupVersion.WithResource(resource), "list", "watch")...)
		}
		return all
	}
	quotas := corev1.SchemeGroupVersion.WithResource("resourcequotas")
	return []Need{
		{
			Part: Authentication, Essential: true, Grant: "RoleBinding roadstead-apiserver:authentication-reader in namespace kube-system",
			Rights: []Right{{Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), Verb: "get", Namespace: metav1.NamespaceSystem,
				Name: "extension-apiserver-authentication"}},
		},
		{Part: lifecycle.PluginName, Essential: true, Rights: namespaces},
		{Part: secretaccess.PluginName, Essential: true, Rights: review},
		{Part: ownerreferences.PluginName, Essential: true, Rights: review},
		{Part: domainadoption.PluginName, Essential: true, Rights: review},
		{Part: domainreference.PluginName, Essential: true},
		{Part: releaseevidence.PluginName, Essential: true, Rights: review},
		{
			Part: mutatingpolicy.PluginName, Loss: "the cluster's MutatingAdmissionPolicies do not change objects of Roadstead",
			Rights: registration("mutatingadmissionpolicies", "mutatingadmissionpolicybindings"),
		},
		{
			Part: mutatingwebhook.PluginName, Loss: "the cluster's mutating webhooks are not called for objects of Roadstead",
			Rights: registration("mutatingwebhookconfigurations"),
		},
		{
			Part: validatingpolicy.PluginName, Loss: "the cluster's ValidatingAdmissionPolicies are not enforced for objects of Roadstead",
			Rights: registration("validatingadmissionpolicies", "validatingadmissionpolicybindings"),
		},
		{
			Part: validatingwebhook.PluginName, Loss: "the cluster's validating webhooks are not called for objects of Roadstead",
			Rights: registration("validatingwebhookconfigurations"),
		},
		{
			Part: resourcequota.PluginName, Loss: "ResourceQuotas do not limit the number of objects of Roadstead",
			Rights: append(rights(quotas, "list", "watch"), Right{Resource: quotas, Subresource: "status", Verb: "update"}),
		},
		{
			Part: Fairness, Loss: "requests are limited only by their number, not by the cluster's FlowSchemas",
			Rights: append(rights(flowcontrolv1.SchemeGroupVersion.WithResource("flowschemas"), "list", "watch"),
				rights(flowcontrolv1.SchemeGroupVersion.WithResource("prioritylevelconfigurations"), "list", "watch")...),
		},
	}
}

func rights(resource schema.GroupVersionResource, verbs ...string) []Right {
	all := make([]Right, 0, len(verbs))
	for _, verb := range verbs {
		all = append(all, Right{Resource: resource, Verb: verb})
	}
	return all
}
