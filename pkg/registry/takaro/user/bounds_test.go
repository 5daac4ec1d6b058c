// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
)

// TestEverythingUserHoldsIsBounded checks the bounds of all fields: one object must not use up the
// memory of the replicas.
func TestEverythingUserHoldsIsBounded(t *testing.T) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	valid := func() *takaro.User {
		return &takaro.User{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "ann"},
			Spec: takaro.UserSpec{
				Name: "ann", Email: "ann@example.com", DomainRef: takaro.LocalObjectReference{Name: "arena"}, Roles: []string{"Admin"},
				Password: ptr.To(writeonly.String("a password")), DeletionPolicy: takaro.UserDeletionPolicyDelete,
			},
			Status: takaro.UserStatus{
				Phase: takaro.UserReady, UserID: "id", CredentialsSecretRef: &takaro.LocalObjectReference{Name: "secret"},
				Roles: []string{"Admin"}, MissingRoles: []string{"Other"},
				Conditions: []metav1.Condition{{Type: "Ready", Status: "True", Reason: "AsSpecified", Message: "text",
					LastTransitionTime: metav1.Now()}},
				Ownership: &ownership.Status{
					Records: []ownership.Record{{Kind: "Kind", ID: "id", Key: "key", Parent: "parent", State: ownership.Held, Origin: ownership.Created}},
					Facts:   map[string]string{"fact": "hash"},
				},
			},
		}
	}
	boundstest.RequireBounded(t, newKind(scheme, "controller"), valid, func() *takaro.User {
		user := valid()
		user.Spec.Password, user.Spec.PasswordSecretRef = nil, &takaro.SecretKeyReference{Name: "secret", Key: "key"}
		return user
	})
}
