// SPDX-License-Identifier: Apache-2.0

package domainadoption

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// stored are the Domains that are stored. A nil one stands for a store that does not answer.
type stored []*takaro.Domain

func (s stored) Get(_ context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error) {
	for _, domain := range s {
		if domain == nil {
			return nil, errors.New("etcd is down")
		}
		if resource == takaro.Resource("domains") && domain.Namespace == namespace && domain.Name == name {
			return domain, nil
		}
	}
	return nil, apierrors.NewNotFound(resource, name)
}

func (stored) List(context.Context, schema.GroupResource, string, func(runtime.Object) bool) ([]runtime.Object, error) {
	return nil, errors.New("no list is needed")
}

// ada returns a User that adopts and retains, with changes.
func ada(changes ...func(*takaro.User)) *takaro.User {
	u := &takaro.User{Spec: takaro.UserSpec{Email: "ada@example.com", DomainRef: takaro.LocalObjectReference{Name: "arena"},
		Adopt: true, DeletionPolicy: takaro.UserDeletionPolicyRetain}}
	for _, change := range changes {
		change(u)
	}
	return u
}

// Users are reached with the credentials of their Domain.
func TestValidate_Users(t *testing.T) {
	plain := func(u *takaro.User) { u.Spec.Adopt = false }
	deleting := func(u *takaro.User) { u.Spec.DeletionPolicy = takaro.UserDeletionPolicyDelete }
	from := func(origin ownership.Origin) func(*takaro.User) {
		return func(u *takaro.User) {
			u.Spec.Adopt = false
			u.Status.Ownership = &ownership.Status{Records: []ownership.Record{{Kind: "User", ID: "1", State: ownership.Held, Origin: origin}}}
		}
	}
	adopted := from(ownership.Adopted)
	installations, own := []*takaro.Domain{domain()}, []*takaro.Domain{domain(with("mine"))}
	for name, c := range map[string]struct {
		domains  []*takaro.Domain
		obj, old *takaro.User
		may      string
		asked    []string
		err      string
	}{
		"no adoption":            {obj: ada(plain, deleting)},
		"no adoption, no answer": {domains: []*takaro.Domain{nil}, obj: ada(plain)},
		"installation's": {domains: installations, obj: ada(), asked: []string{adoptUsers},
			err: `spec.adopt: set spec.credentialsSecretRef in Domain "arena", or request the RBAC verb "adopt" on users.takaro.roadstead.dev`},
		"verb": {domains: installations, obj: ada(), may: adoptUsers, asked: []string{adoptUsers}},
		"verb on domains": {domains: installations, obj: ada(), may: adoptDomains,
			asked: []string{adoptUsers}, err: "spec.adopt"},
		"own": {domains: own, obj: ada(), may: getMine, asked: []string{adoptUsers, getMine}},
		"own of others": {domains: own, obj: ada(),
			asked: []string{adoptUsers, getMine}, err: `request the RBAC verb "get" on Secret "mine"`},
		"Domain not there": {obj: ada(), asked: []string{adoptUsers},
			err: `spec.adopt: create Domain "arena" with spec.credentialsSecretRef before the User, or request the RBAC verb "adopt" on users`},
		"store down": {domains: []*takaro.Domain{nil}, obj: ada(), may: adoptUsers, err: `cannot read Domain "arena"; try again`},
		"turned on":  {domains: installations, obj: ada(), old: ada(plain), asked: []string{adoptUsers}, err: "spec.adopt"},
		"turned off": {domains: installations, obj: ada(plain), old: ada()},
		"as before":  {domains: installations, obj: ada(), old: ada()},
		"to Delete": {domains: installations, obj: ada(deleting), old: ada(),
			asked: []string{adoptUsers}, err: "spec.deletionPolicy: the deletion would remove or disable objects that Roadstead did not create; " +
				"set it to Retain, or request"},
		"to Delete, verb": {domains: installations, obj: ada(deleting), old: ada(), may: adoptUsers, asked: []string{adoptUsers}},
		"to Delete, own":  {domains: own, obj: ada(deleting), old: ada(), may: getMine, asked: []string{adoptUsers, getMine}},
		"ledger": {domains: installations, obj: ada(adopted, deleting), old: ada(adopted),
			asked: []string{adoptUsers}, err: "spec.deletionPolicy"},
		"ledger of created": {domains: installations, obj: ada(from(ownership.Created), deleting), old: ada(from(ownership.Created))},
	} {
		t.Run(name, func(t *testing.T) {
			r := request{resource: takaro.Resource("users"), obj: c.obj, may: c.may}
			if c.old != nil {
				r.old = c.old
			}
			asked, err := review(t, r, c.domains...)
			require.Equal(t, c.asked, asked)
			requireError(t, c.err, err)
		})
	}
}
