// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/util/keeper"
)

// factSeed records the fingerprint of the seed from which the password of a User was derived.
const factSeed = "seed"

// recordSeed maintains factSeed: it is set before the first create with the password, and removed
// when another password is found to work.
func (r *reconciler) recordSeed(a *attempt) {
	status := a.user.Status.Ownership
	switch {
	case a.seed != "" && (!a.accepted || a.published.Equal(a.password)):
		if status.Facts == nil {
			status.Facts = map[string]string{}
		}
		status.Facts[factSeed] = a.seed
	case a.accepted && a.facts != nil:
		delete(status.Facts, factSeed)
	}
}

// seedUsers reports which seeds the Users depend on.
type seedUsers struct {
	cached client.Reader
}

// required implements keeper.Spec.Required.
func (u seedUsers) required(ctx context.Context, _, _ [][]byte) (keeper.Required, error) {
	var required keeper.Required
	err := u.each(ctx, func(user *v1alpha1.User) {
		if print := seedOf(user); print != "" && !slices.Contains(required.Fingerprints, print) {
			required.Fingerprints = append(required.Fingerprints, print)
		}
	})
	return required, err
}

// exist implements keeper.Spec.Dependents. The password of a User that an earlier release stored
// counts as generated if the spec refers to no Secret, because the API server does not return
// whether spec.password was set.
func (u seedUsers) exist(ctx context.Context) (bool, error) {
	exist := false
	err := u.each(ctx, func(user *v1alpha1.User) {
		legacy := user.Status.Ownership == nil && user.Status.UserID != "" && user.Spec.PasswordSecretRef == nil
		exist = exist || legacy || seedOf(user) != ""
	})
	return exist, err
}

func seedOf(user *v1alpha1.User) string {
	if user.Status.Ownership == nil {
		return ""
	}
	return user.Status.Ownership.Facts[factSeed]
}

func (u seedUsers) each(ctx context.Context, do func(*v1alpha1.User)) error {
	list := &v1alpha1.UserList{}
	if err := u.cached.List(ctx, list); err != nil {
		return err
	}
	for i := range list.Items {
		do(&list.Items[i])
	}
	return nil
}
