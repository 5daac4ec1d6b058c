// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	typed "roadstead.dev/roadstead/pkg/generated/clientset/versioned/typed/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework/cluster"
)

// User is a ServiceAccount with rights in one namespace.
type User struct {
	// Namespace is the namespace of the user and the default namespace of the kubeconfig.
	Namespace string
	// Account is the name of the ServiceAccount.
	Account string
	// Kubeconfig is the path of its kubeconfig.
	Kubeconfig string
	// Config is a client configuration for this user.
	Config *rest.Config

	kubectl cluster.Kubectl
	kinds   versioned.Interface
}

// Name returns the user name.
func (u *User) Name() string { return "system:serviceaccount:" + u.Namespace + ":" + u.Account }

// User creates a ServiceAccount with a ClusterRole in a namespace (view, edit, admin; empty: no
// rights), and returns when the rights are effective.
func (e *Env) User(t *testing.T, namespace, clusterRole string) *User {
	t.Helper()
	u := &User{Namespace: namespace, Account: e.Name("user")}
	_, err := e.Admin.CoreV1().ServiceAccounts(namespace).Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: u.Account}}, metav1.CreateOptions{})
	require.NoError(t, err)
	if clusterRole != "" {
		e.Bind(t, u, clusterRole)
		e.AwaitAccess(t, u.Name(), authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list",
			Group: "takaro.roadstead.dev", Resource: "domains"})
	}
	u.Kubeconfig = filepath.Join(e.Cluster.Dir(), u.Account+".kubeconfig")
	require.NoError(t, e.Cluster.WriteServiceAccountKubeconfig(t.Context(), u.Kubeconfig, namespace, u.Account, time.Hour))
	u.Config, err = clientcmd.BuildConfigFromFlags("", u.Kubeconfig)
	require.NoError(t, err)
	u.Config.QPS = -1
	u.kubectl = e.Cluster.KubectlAs(u.Kubeconfig)
	u.kinds, err = versioned.NewForConfig(u.Config)
	require.NoError(t, err)
	return u
}

// Bind binds a ClusterRole to a user in the namespace of the user.
func (e *Env) Bind(t *testing.T, u *User, clusterRole string) {
	t.Helper()
	_, err := e.Admin.RbacV1().RoleBindings(u.Namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: e.Name("binding")},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterRole},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: u.Namespace, Name: u.Account}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// Grant grants a user one more rule in the namespace of the user, and returns when it is effective.
func (e *Env) Grant(t *testing.T, u *User, rule rbacv1.PolicyRule) {
	t.Helper()
	name := e.Name("role")
	_, err := e.Admin.RbacV1().Roles(u.Namespace).Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules: []rbacv1.PolicyRule{rule}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = e.Admin.RbacV1().RoleBindings(u.Namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: u.Namespace, Name: u.Account}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	asked := authorizationv1.ResourceAttributes{Namespace: u.Namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0],
		Resource: rule.Resources[0]}
	asked.Resource, asked.Subresource, _ = strings.Cut(asked.Resource, "/")
	if len(rule.ResourceNames) > 0 {
		asked.Name = rule.ResourceNames[0]
	}
	e.AwaitAccess(t, u.Name(), asked)
}

// AwaitAccess returns when the cluster authorizes a user for an action. The authorizer observes
// RBAC objects with a delay, and an aggregated server caches a denial for ten seconds.
func (e *Env) AwaitAccess(t *testing.T, user string, what authorizationv1.ResourceAttributes) {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &what}}
	Await(t, "access of "+user, func() error {
		answer, err := e.Admin.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			err = errors.New("not allowed yet")
		}
		return err
	})
}

// Domains returns the typed client for Domains in the namespace of the user.
func (u *User) Domains() typed.DomainInterface {
	return u.kinds.TakaroV1alpha1().Domains(u.Namespace)
}

// MockServers returns the typed client for MockServers in the namespace of the user.
func (u *User) MockServers() typed.MockServerInterface {
	return u.kinds.TakaroV1alpha1().MockServers(u.Namespace)
}

// Users returns the typed client for Users in the namespace of the user.
func (u *User) Users() typed.UserInterface {
	return u.kinds.TakaroV1alpha1().Users(u.Namespace)
}

// Kubectl runs kubectl as the user, requires success and returns standard output.
func (u *User) Kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return u.KubectlIn(t, "", args...)
}

// KubectlIn is Kubectl with the given standard input.
func (u *User) KubectlIn(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, _, err := u.kubectl.WithStdin(strings.NewReader(stdin)).Run(t.Context(), args...)
	require.NoError(t, err)
	return out
}

// KubectlSaid is KubectlIn that also returns standard error, where kubectl prints the warnings of
// the server.
func (u *User) KubectlSaid(t *testing.T, stdin string, args ...string) (out, warnings string) {
	t.Helper()
	out, warnings, err := u.kubectl.WithStdin(strings.NewReader(stdin)).Run(t.Context(), args...)
	require.NoError(t, err)
	return out, warnings
}

// TryKubectl runs kubectl as the user and returns its error, for use in polled conditions.
func (u *User) TryKubectl(t *testing.T, stdin string, args ...string) error {
	t.Helper()
	_, _, err := u.kubectl.WithStdin(strings.NewReader(stdin)).Run(t.Context(), args...)
	return err
}

// WithKubectlEnv returns the same user with additional variables ("NAME=value") in the environment
// of kubectl.
func (u *User) WithKubectlEnv(env ...string) *User {
	changed := *u
	changed.kubectl = u.kubectl.WithEnv(env...)
	return &changed
}

// KubectlFails runs kubectl as the user with the given standard input, requires a failure and
// returns standard error.
func (u *User) KubectlFails(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, problems, err := u.kubectl.WithStdin(strings.NewReader(stdin)).Run(t.Context(), args...)
	require.Error(t, err, "kubectl succeeded: %s", out)
	return problems
}

// File writes text to a file in a temporary directory of the test and returns its path.
func File(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	return path
}
