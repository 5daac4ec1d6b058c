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

// Parts that are no admission plugins.
const (
	// Fairness orders requests by the host's flow schemas.
	Fairness = "PriorityAndFairness"
	// Authentication recognises the aggregation layer, whose CA is in a ConfigMap of the host.
	Authentication = "Authentication"
)

// defaultGrant is what gives most rights.
const defaultGrant = "ClusterRole roadstead-apiserver"

// Need is what a part of the server needs of the host.
type Need struct {
	// Part is the admission plugin or feature.
	Part string
	// Essential parts are never off: the server does not start in a cluster that does not serve what they need.
	Essential bool
	// Loss says what does not hold while the part is off.
	Loss string
	// Rights are what this server must be allowed to do. Their resources must be served.
	Rights []Right
	// Grant is the object of the manifests that gives the rights. Empty: the ClusterRole roadstead-apiserver.
	Grant string
}

// Right is a verb on a resource of the host, in all namespaces, or on one object. It is comparable.
type Right struct {
	Resource    schema.GroupVersionResource
	Subresource string
	Verb        string
	// Namespace and Name are those of the one object.
	Namespace, Name string
}

// Parts returns what every admission plugin and feature needs. A test fails when a plugin of ours is not there.
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
			Part: validatingpolicy.PluginName, Loss: "the cluster's ValidatingAdmissionPolicies do not hold for objects of Roadstead",
			Rights: registration("validatingadmissionpolicies", "validatingadmissionpolicybindings"),
		},
		{
			Part: validatingwebhook.PluginName, Loss: "the cluster's validating webhooks are not called for objects of Roadstead",
			Rights: registration("validatingwebhookconfigurations"),
		},
		{
			Part: resourcequota.PluginName, Loss: "ResourceQuotas do not bound the number of objects of Roadstead",
			Rights: append(rights(quotas, "list", "watch"), Right{Resource: quotas, Subresource: "status", Verb: "update"}),
		},
		{
			Part: Fairness, Loss: "requests are bounded by number only, not ordered by the cluster's flow schemas",
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
