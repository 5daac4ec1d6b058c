// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package copies

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	typed "roadstead.dev/roadstead/pkg/generated/clientset/versioned/typed/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

const (
	tokenSecret = "takaro-admin"
	// domainName is the Domain of the User of a site.
	domainName = "arena"
	userName   = "ada"
	// userSecret is the Secret with the login of the User.
	userSecret = userName + v1alpha1.UserSecretSuffix
)

// site is the namespace of a test in one cluster. A copy of the cluster has the same namespace.
type site struct {
	t         *testing.T
	env       *framework.Env
	takaro    *takaro.Server
	namespace string
	api       typed.TakaroV1alpha1Interface
}

// newSite starts a simulated Takaro and creates a namespace with its token in the original.
func newSite(t *testing.T) *site {
	t.Helper()
	server := framework.NewTakaro(t, takaro.Options{})
	require.NoError(t, original.Roadstead.Controller().Start(t.Context()))
	s := (&site{t: t, takaro: server, namespace: original.Namespace(t)}).in(original)
	s.storeToken(tokenSecret)
	return s
}

// in returns the same namespace in another cluster.
func (s *site) in(env *framework.Env) *site {
	s.t.Helper()
	there := *s
	there.env, there.api = env, framework.ClientFor(s.t, env.Cluster.AdminConfig()).TakaroV1alpha1()
	return &there
}

// storeToken creates a Secret with the token of Takaro.
func (s *site) storeToken(name string) {
	s.t.Helper()
	_, err := s.env.Admin.CoreV1().Secrets(s.namespace).Create(s.t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"adminToken": s.takaro.AdminToken()},
	}, metav1.CreateOptions{})
	require.NoError(s.t, err)
}

// createDomain creates a Domain with the credentials of the namespace.
func (s *site) createDomain(name string, change ...func(*v1alpha1.DomainSpec)) {
	s.t.Helper()
	domain := &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.DomainSpec{
		TakaroAPIURL: s.takaro.URL(), CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: tokenSecret},
	}}
	for _, change := range change {
		change(&domain.Spec)
	}
	_, err := s.api.Domains(s.namespace).Create(s.t.Context(), domain, metav1.CreateOptions{})
	require.NoError(s.t, err)
}

// createUser creates the User of the Domain arena.
func (s *site) createUser() {
	s.t.Helper()
	user := &v1alpha1.User{ObjectMeta: metav1.ObjectMeta{Name: userName}, Spec: v1alpha1.UserSpec{
		Email: "ada@example.com", DomainRef: v1alpha1.LocalObjectReference{Name: domainName},
	}}
	_, err := s.api.Users(s.namespace).Create(s.t.Context(), user, metav1.CreateOptions{})
	require.NoError(s.t, err)
}

func (s *site) describe(name, text string) {
	s.t.Helper()
	_, err := s.api.Domains(s.namespace).Patch(s.t.Context(), name, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"description":%q}}`, text), metav1.PatchOptions{})
	require.NoError(s.t, err)
}

func (s *site) delete(name string) {
	s.t.Helper()
	require.NoError(s.t, s.api.Domains(s.namespace).Delete(s.t.Context(), name, metav1.DeleteOptions{}))
}

func (s *site) get(name string) *v1alpha1.Domain {
	s.t.Helper()
	domain, err := s.api.Domains(s.namespace).Get(s.t.Context(), name, metav1.GetOptions{})
	require.NoError(s.t, err)
	return domain
}

// is returns an error unless the Ready condition is of the current generation and has the given
// status and reason, such as "False HeldByOther".
func is(object metav1.Object, conditions []metav1.Condition, want string) error {
	return framework.ConditionIs(object, conditions, v1alpha1.ConditionReady, want)
}

// readyReason is the status and reason of a Ready Domain or User.
const readyReason = "True AsSpecified"

// domainIs calls is for a Domain.
func (s *site) domainIs(name, want string) error {
	domain, err := s.api.Domains(s.namespace).Get(s.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return is(domain, domain.Status.Conditions, want)
}

func (s *site) awaitDomain(limit time.Duration, name, want string) *v1alpha1.Domain {
	s.t.Helper()
	framework.AwaitFor(s.t, limit, "Domain "+name+": "+want, func() error { return s.domainIs(name, want) })
	return s.get(name)
}

func (s *site) awaitUser(limit time.Duration) {
	s.t.Helper()
	framework.AwaitFor(s.t, limit, "User "+userName+": "+readyReason, func() error {
		user, err := s.api.Users(s.namespace).Get(s.t.Context(), userName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return is(user, user.Status.Conditions, readyReason)
	})
}

// secret returns a value of a Secret, which must exist.
func (s *site) secret(name, key string) string {
	s.t.Helper()
	found, err := s.env.Admin.CoreV1().Secrets(s.namespace).Get(s.t.Context(), name, metav1.GetOptions{})
	require.NoError(s.t, err)
	require.NotEmpty(s.t, found.Data[key], "%s in %s", key, name)
	return string(found.Data[key])
}

// awaitEndpoint waits until the Ready condition of the TakaroEndpoint of the namespace has the
// given status and reason.
func (s *site) awaitEndpoint(limit time.Duration, want string) *v1alpha1.TakaroEndpoint {
	s.t.Helper()
	var found *v1alpha1.TakaroEndpoint
	framework.AwaitFor(s.t, limit, "the TakaroEndpoint: "+want, func() error {
		list, err := s.api.TakaroEndpoints(s.namespace).List(s.t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(list.Items) != 1 {
			return fmt.Errorf("there are %d", len(list.Items))
		}
		found = &list.Items[0]
		return is(found, found.Status.Conditions, want)
	})
	return found
}

// acceptIdentity matches the command in a condition with which an administrator accepts the Takaro
// that responds at an address.
var acceptIdentity = regexp.MustCompile(
	`kubectl (annotate takaroendpoints\S* \S+ -n \S+ roadstead\.dev/accept-identity=([0-9a-z-]+)/([0-9a-z]+)(?: --overwrite)?)`)

// acceptCommand returns the kubectl arguments of the printed command, and the holder that it
// accepts.
func acceptCommand(t *testing.T, e *v1alpha1.TakaroEndpoint) (args []string, holder string) {
	t.Helper()
	message := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionReady).Message
	found := acceptIdentity.FindStringSubmatch(message)
	require.NotNil(t, found, "the message names no command: %s", message)
	return strings.Fields(found[1]), found[3]
}
