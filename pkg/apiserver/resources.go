// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	serverstorage "k8s.io/apiserver/pkg/server/storage"

	"roadstead.dev/roadstead/pkg/apiserver/filters/auditcap"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// DefaultResources returns the default of --runtime-config: every version of every group. They are
// enabled explicitly, because the generic server disables alpha versions by default.
func DefaultResources() *serverstorage.ResourceConfig {
	config := serverstorage.NewResourceConfig()
	config.EnableVersions(releasev1alpha1.SchemeGroupVersion, takarov1alpha1.SchemeGroupVersion)
	return config
}

// WriteOnly returns the resources with write-only fields, with the subresource that returns them.
// These resources are encrypted in the store, and the fields are kept out of audit records.
func WriteOnly() []auditcap.Rule {
	return []auditcap.Rule{
		{Resource: takarov1alpha1.Resource("users"), Subresource: "credentials"},
	}
}
