// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	serverstorage "k8s.io/apiserver/pkg/server/storage"

	"roadstead.dev/roadstead/pkg/apiserver/filters/auditcap"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// DefaultResources returns what is served unless --runtime-config says otherwise: every version of every group. They are
// named one by one, because versions called alpha are off by default in the generic server, and ours are the product.
func DefaultResources() *serverstorage.ResourceConfig {
	config := serverstorage.NewResourceConfig()
	config.EnableVersions(releasev1alpha1.SchemeGroupVersion, takarov1alpha1.SchemeGroupVersion)
	return config
}

// WriteOnly returns the resources that have fields which are never shown, with the subresource that answers with them.
// They are encrypted in the store and kept out of audit records.
func WriteOnly() []auditcap.Rule {
	return []auditcap.Rule{
		{Resource: takarov1alpha1.Resource("users"), Subresource: "credentials"},
	}
}
