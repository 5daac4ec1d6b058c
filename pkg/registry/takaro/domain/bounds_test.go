// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"

	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
)

// TestEverythingDomainHoldsIsBounded checks the bounds of all fields: one object must not use up
// the memory of the replicas.
func TestEverythingDomainHoldsIsBounded(t *testing.T) {
	scheme := boundstest.Scheme(install.Install)
	ref := &takaro.SecretKeyReference{Name: "secret", Key: "key"}
	limit := ptr.To[int32](1)
	boundstest.RequireBounded(t, newKind(scheme, "controller"), func() *takaro.Domain {
		return &takaro.Domain{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "arena"},
			Spec: takaro.DomainSpec{
				Name: "arena", TakaroAPIURL: "https://api.takaro.example", ConnectorURL: "wss://connect.takaro.example",
				CredentialsSecretRef: ref.DeepCopy(), CABundleSecretRef: ref.DeepCopy(), ExternalReferenceID: "arena",
				DomainLimits: &takaro.DomainLimits{MaxUsers: limit}, Description: "text", DeletionPolicy: takaro.DeletionPolicyDelete,
			},
			Status: takaro.DomainStatus{
				Phase: takaro.DomainReady, DomainID: "id", ExternalReferenceID: "arena",
				RegistrationTokenSecretRef: &takaro.LocalObjectReference{Name: "secret"},
				RootCredentialsSecretRef:   &takaro.LocalObjectReference{Name: "secret"},
				Conditions:                 boundstest.Conditions(),
				Ownership:                  boundstest.Ownership(),
			},
		}
	})
}
