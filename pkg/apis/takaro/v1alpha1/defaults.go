// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// DefaultCredentialsKey is the Secret key that holds Takaro's admin token when none is named.
	DefaultCredentialsKey = "adminToken"
	// DefaultCABundleKey is the Secret key that holds CA certificates when none is named.
	DefaultCABundleKey = "ca.crt"
)

func addDefaultingFuncs(scheme *runtime.Scheme) error {
	return RegisterDefaults(scheme)
}

// SetDefaults_DomainSpec fills the fields of a Domain that have a fixed default. The default of spec.name needs
// metadata.name, which may still be generated at this point: the strategy fills it.
func SetDefaults_DomainSpec(spec *DomainSpec) {
	if ref := spec.CredentialsSecretRef; ref != nil && ref.Key == "" {
		ref.Key = DefaultCredentialsKey
	}
	if ref := spec.CABundleSecretRef; ref != nil && ref.Key == "" {
		ref.Key = DefaultCABundleKey
	}
	if spec.DeletionPolicy == "" {
		spec.DeletionPolicy = DeletionPolicyDelete
		if spec.Adopt {
			spec.DeletionPolicy = DeletionPolicyRetain
		}
	}
}
