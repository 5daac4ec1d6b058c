// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// userReferences returns the Secret of a User. Its content is sent to the Takaro of a Domain, and
// copied to the User's login.
func userReferences(object runtime.Object) []reference {
	user, ok := object.(*takaro.User)
	if !ok || user.Spec.PasswordSecretRef == nil {
		return nil
	}
	return []reference{{
		field: "spec.passwordSecretRef", name: user.Spec.PasswordSecretRef.Name, key: user.Spec.PasswordSecretRef.Key,
		to: fmt.Sprintf("the Takaro of Domain %q", user.Spec.DomainRef.Name),
	}}
}

// passwordSecret returns the Secret whose content Roadstead sends to the Takaro of a User's Domain.
// The login of the User stands for spec.password, which is copied to it, and for a password that
// was generated for the Takaro of an earlier Domain. It is empty if no password exists yet: it is
// then generated for the Takaro that receives it.
func passwordSecret(user *takaro.User) string {
	switch {
	case user.Spec.PasswordSecretRef != nil:
		return user.Spec.PasswordSecretRef.Name
	case user.Status.CredentialsSecretRef != nil:
		return user.Status.CredentialsSecretRef.Name
	case user.Spec.Password != nil:
		return user.Name + v1alpha1.UserSecretSuffix
	}
	return ""
}

// addressField is the field of a Domain that errors about its Users name.
const addressField = "spec.takaroApiUrl"

// maxReviews is how many Secrets are reviewed one by one for one request.
const maxReviews = 50

// receiver is everything in a Domain that determines which system receives the passwords of its
// Users.
func receiver(domain *takaro.Domain) []any {
	return []any{domain.Spec.TakaroAPIURL, domain.Spec.CredentialsSecretRef, domain.Spec.CABundleSecretRef}
}

// reviewUsers reviews the passwords of all Users that name a Domain when it is created or receives
// them in another way: otherwise the author of a missing Domain would get the passwords of the
// Users that wait for it. A User that is stored after this list was read is as one that is created
// after its Domain: its own author is reviewed, and chose the name of the Domain.
func (p *Plugin) reviewUsers(ctx context.Context, a admission.Attributes) error {
	domain, ok := a.GetObject().(*takaro.Domain)
	if !ok {
		return nil
	}
	if old, ok := a.GetOldObject().(*takaro.Domain); ok && reflect.DeepEqual(receiver(old), receiver(domain)) {
		return nil
	}
	users, err := p.Objects.List(ctx, takaro.Resource("users"), a.GetNamespace(), func(object runtime.Object) bool {
		user, ok := object.(*takaro.User)
		return ok && user.Spec.DomainRef.Name == domain.Name && passwordSecret(user) != ""
	})
	if err != nil {
		return apierrors.NewServiceUnavailable(addressField + ": cannot read the Users of this Domain; try again")
	}
	senders := map[string]*takaro.User{}
	for _, object := range users {
		user := object.(*takaro.User)
		senders[passwordSecret(user)] = user
	}
	if len(senders) == 0 {
		return nil
	}
	if allowed, err := p.allowed(ctx, a, secrets(a.GetNamespace(), "")); err != nil {
		return undecided(a, addressField, err)
	} else if allowed {
		return nil
	}
	if len(senders) > maxReviews {
		return admission.NewForbidden(a, fmt.Errorf(
			"%s: Users that wait for this Domain would send more than %d Secrets to %s; request the RBAC verb get on all Secrets in namespace %q",
			addressField, maxReviews, domain.Spec.TakaroAPIURL, a.GetNamespace()))
	}
	for _, secret := range slices.Sorted(maps.Keys(senders)) {
		allowed, err := p.allowed(ctx, a, secrets(a.GetNamespace(), secret))
		if err != nil {
			return undecided(a, addressField, err)
		}
		if !allowed {
			return p.refusedSender(ctx, a, domain.Spec.TakaroAPIURL, senders[secret], secret)
		}
	}
	return nil
}

// refusedSender names a User and its Secret only to a caller who may get the User.
func (p *Plugin) refusedSender(ctx context.Context, a admission.Attributes, address string, user *takaro.User, secret string) error {
	namespace := a.GetNamespace()
	visible, err := p.allowed(ctx, a, authorizer.AttributesRecord{
		Verb: "get", APIGroup: takaro.GroupName, APIVersion: a.GetResource().Version, Resource: "users", Namespace: namespace, Name: user.Name,
	})
	if err != nil || !visible {
		return admission.NewForbidden(a, fmt.Errorf("%s: a User that waits for this Domain would send a Secret that you may not get to %s; "+
			"request the RBAC verb get on Secrets in namespace %q", addressField, address, namespace))
	}
	return admission.NewForbidden(a, fmt.Errorf("%s: you may not get Secret %q in namespace %q, which User %q would send to %s; "+
		"request the RBAC verb get on it", addressField, secret, namespace, namespace+"/"+user.Name, address))
}
