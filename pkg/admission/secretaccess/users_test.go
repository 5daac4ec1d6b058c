// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	authuser "k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

func TestUserReferences(t *testing.T) {
	list := references[takaro.Resource("users")]
	require.Empty(t, list(&takaro.User{}))
	require.Empty(t, list(&takaro.Domain{}))
	require.Equal(t, []reference{{field: "spec.passwordSecretRef", name: "mine", key: "password", to: `the Takaro of Domain "arena"`}},
		list(&takaro.User{Spec: takaro.UserSpec{
			DomainRef: takaro.LocalObjectReference{Name: "arena"}, PasswordSecretRef: &takaro.SecretKeyReference{Name: "mine", Key: "password"},
		}}))
}

// waiting is a User of a Domain.
func waiting(name, domain string, change func(*takaro.User)) *takaro.User {
	user := &takaro.User{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name},
		Spec: takaro.UserSpec{DomainRef: takaro.LocalObjectReference{Name: domain}}}
	change(user)
	return user
}

func naming(secret string) func(*takaro.User) {
	return func(u *takaro.User) {
		u.Spec.PasswordSecretRef = &takaro.SecretKeyReference{Name: secret, Key: "password"}
	}
}

// rights allows "get secrets x", and "get secrets" for all, and records each checked right in
// asked. For Secret broken it returns an error.
func rights(asked *[]string, allowed ...string) authorizer.Authorizer {
	return authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		question := strings.TrimSpace(a.GetVerb() + " " + a.GetResource() + " " + a.GetName())
		*asked = append(*asked, question)
		switch {
		case a.GetName() == "broken":
			return authorizer.DecisionNoOpinion, "", errors.New("host is down")
		case a.GetNamespace() == "ns" && slices.Contains(allowed, question):
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionNoOpinion, "", nil
	})
}

func TestReviewUsers(t *testing.T) {
	given := func(u *takaro.User) { u.Spec.Password = ptr.To(writeonly.String("a-password")) }
	published := func(u *takaro.User) { u.Status.CredentialsSecretRef = &takaro.LocalObjectReference{Name: "login"} }
	nothing := func(*takaro.User) {}
	many := stored{}
	for i := range maxReviews + 1 {
		many = append(many, waiting(fmt.Sprintf("user-%d", i), "arena", naming(fmt.Sprintf("secret-%d", i))))
	}
	for name, c := range map[string]struct {
		users   stored
		old     func(*takaro.Domain)
		allowed []string
		asked   []string
		err     string
	}{
		"no Users":                           {users: stored{}},
		"Users of others":                    {users: stored{waiting("ann", "other", naming("x"))}},
		"a password that does not exist yet": {users: stored{waiting("ann", "arena", nothing)}},
		"a Secret of a User": {users: stored{waiting("ann", "arena", naming("x"))},
			asked: []string{"get secrets", "get secrets x",
				"get users ann"}, err: "a User that waits for this Domain would send a Secret that you may not get to https://takaro.test"},
		"a Secret of a visible User": {users: stored{waiting("ann", "arena", naming("x"))}, allowed: []string{"get users ann"},
			asked: []string{"get secrets", "get secrets x",
				"get users ann"}, err: `spec.takaroApiUrl: you may not get Secret "x" in namespace "ns", which User "ns/ann" would send to ` +
				`https://takaro.test`},
		"a Secret that may be read": {users: stored{waiting("ann", "arena", naming("x")), waiting("bob", "arena", naming("x"))},
			allowed: []string{"get secrets x"}, asked: []string{"get secrets", "get secrets x"}},
		"all Secrets may be read": {users: many, allowed: []string{"get secrets"}, asked: []string{"get secrets"}},
		"one of two": {users: stored{waiting("ann", "arena", naming("x")), waiting("bob", "arena", naming("y"))},
			allowed: []string{"get secrets x"}, asked: []string{"get secrets", "get secrets x", "get secrets y",
				"get users bob"}, err: "a User that waits"},
		"more than are reviewed one by one": {users: many, asked: []string{"get secrets"},
			err: `more than 50 Secrets to https://takaro.test; request the RBAC verb get on all Secrets in namespace "ns"`},
		"as many as are reviewed": {users: many[1:],
			asked: []string{"get secrets", "get secrets secret-1", "get users user-1"}, err: "a User that waits"},
		"a given password": {users: stored{waiting("ann", "arena", given)},
			asked: []string{"get secrets", "get secrets ann-takaro-user", "get users ann"}, err: "a User that waits"},
		"a password of an earlier Domain": {users: stored{waiting("ann", "arena", published)},
			asked: []string{"get secrets", "get secrets login", "get users ann"}, err: "a User that waits"},
		"the cluster does not answer": {users: stored{waiting("ann", "arena", naming("broken"))},
			asked: []string{"get secrets",
				"get secrets broken"}, err: "spec.takaroApiUrl: cannot check whether you may get the Secret; try again: host is down"},
		"the store does not answer":   {err: "spec.takaroApiUrl: cannot read the Users of this Domain; try again"},
		"an update without a change":  {old: func(*takaro.Domain) {}},
		"an update of something else": {old: func(d *takaro.Domain) { d.Spec.MaintenanceMode = true }},
		"an update of the CA": {users: stored{waiting("ann", "arena", naming("x"))},
			asked: []string{"get secrets", "get secrets x", "get users ann"}, err: "a User that waits",
			old: func(d *takaro.Domain) { d.Spec.CABundleSecretRef = &takaro.SecretKeyReference{Name: "ca"} }},
		"an update of the credentials": {users: stored{waiting("ann", "arena", naming("x"))},
			asked: []string{"get secrets", "get secrets x", "get users ann"}, err: "a User that waits",
			old: func(d *takaro.Domain) { d.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: "admin"} }},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			p := plugin(rights(&asked, c.allowed...))
			p.SetObjects(c.users)
			domain := &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "arena"},
				Spec: takaro.DomainSpec{TakaroAPIURL: "https://takaro.test"}}
			var old runtime.Object
			operation := admission.Create
			if c.old != nil {
				before := domain.DeepCopy()
				c.old(before)
				old, operation = before, admission.Update
			}
			err := p.Validate(t.Context(), admission.NewAttributesRecord(domain, old, schema.GroupVersionKind{}, "ns", "arena",
				takaro.Resource("domains").WithVersion("v1alpha1"), "", operation, nil, false, &authuser.DefaultInfo{Name: "alice"}), nil)
			require.Equal(t, c.asked, asked)
			if c.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.err)
			require.Equal(t, c.users != nil, apierrors.IsForbidden(err), "%v", err)
			if strings.Contains(c.err, "a User that waits") {
				require.NotContains(t, err.Error(), "ann")
			}
		})
	}
}
