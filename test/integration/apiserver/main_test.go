// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package apiserver tests roadstead-apiserver through the real aggregator, with kubectl and plain
// HTTP, as users with few rights. The tests of release.roadstead.dev, of the rights of each role
// and of the shipped kustomize directories are in files of those names.
package apiserver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

var env *framework.Env

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithInstall(func(o *install.Options) { o.SharedStore = true }))
}

const address = "https://api.takaro.test"

// editor creates a namespace and a user with the default ClusterRole "edit" in it.
func editor(t *testing.T) *framework.User {
	t.Helper()
	return env.User(t, env.Namespace(t), "edit")
}

// statusWriter creates an editor that may also write the status, as the controller may.
func statusWriter(t *testing.T) *framework.User {
	t.Helper()
	u := editor(t)
	env.Grant(t, u, rbacv1.PolicyRule{APIGroups: []string{"takaro.roadstead.dev"}, Resources: []string{"domains/status"},
		Verbs: []string{"update", "patch", "get"}})
	return u
}

// manifest returns a Domain with additional lines of spec ("disabled: true").
func manifest(name string, spec ...string) string {
	text := fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %s}\nspec:\n  takaroApiUrl: %s\n", name,
		address)
	for _, line := range spec {
		text += "  " + line + "\n"
	}
	return text
}

func newDomain(name string, change ...func(*v1alpha1.Domain)) *v1alpha1.Domain {
	domain := &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.DomainSpec{TakaroAPIURL: address}}
	for _, do := range change {
		do(domain)
	}
	return domain
}

// created creates a Domain and requires success.
func created(t *testing.T, u *framework.User, domain *v1alpha1.Domain) *v1alpha1.Domain {
	t.Helper()
	domain, err := u.Domains().Create(t.Context(), domain, metav1.CreateOptions{})
	require.NoError(t, err)
	return domain
}

func got(t *testing.T, u *framework.User, name string) *v1alpha1.Domain {
	t.Helper()
	domain, err := u.Domains().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return domain
}
