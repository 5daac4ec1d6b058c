// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

// limited creates a user that may only edit Domains in a namespace.
func limited(t *testing.T, namespace string) *framework.User {
	t.Helper()
	u := env.User(t, namespace, "roadstead:takaro-viewer")
	env.Bind(t, u, "roadstead:takaro-editor")
	for _, verb := range []string{"create", "update", "patch", "delete"} {
		env.AwaitAccess(t, u.Name(), authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb,
			Group: "takaro.roadstead.dev", Resource: "domains"})
	}
	return u
}

func withSecret(name string) func(*v1alpha1.Domain) {
	return func(d *v1alpha1.Domain) { d.Spec.CredentialsSecretRef = &v1alpha1.SecretKeyReference{Name: name} }
}

func TestSecretReferenceAccess(t *testing.T) {
	t.Parallel()
	namespace := env.Namespace(t)
	u, privileged := limited(t, namespace), env.User(t, namespace, "edit")
	env.Grant(t, u, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"},
		ResourceNames: []string{"own"}})

	problems := u.KubectlFails(t, manifest("refused", "credentialsSecretRef: {name: foreign}"), "create", "-f", "-")
	require.Contains(t, problems, `is forbidden: spec.credentialsSecretRef: you may not get Secret "foreign" in namespace "`+namespace+`"`)
	problems = u.KubectlFails(t, manifest("refused", "credentialsSecretRef: {name: own}", "caBundleSecretRef: {name: foreign}"), "create",
		"-f", "-")
	require.Contains(t, problems, "spec.caBundleSecretRef: you may not get Secret")
	problems = u.KubectlFails(t, manifest("refused", "credentialsSecretRef: {name: foreign}"), "create", "--dry-run=server", "-f", "-")
	require.Contains(t, problems, "spec.credentialsSecretRef")
	created(t, u, newDomain("allowed", withSecret("own")))

	// An object written by a more privileged user remains writable for others.
	shared := created(t, privileged, newDomain("shared", withSecret("foreign")))
	shared.Spec.Description = "changed by the limited one"
	shared, err := u.Domains().Update(t.Context(), shared, metav1.UpdateOptions{})
	require.NoError(t, err)
	for name, change := range map[string]func(*v1alpha1.Domain){
		"another Secret": withSecret("another"),
		"another key":    func(d *v1alpha1.Domain) { d.Spec.CredentialsSecretRef.Key = "other" },
		"another field":  func(d *v1alpha1.Domain) { d.Spec.CABundleSecretRef = &v1alpha1.SecretKeyReference{Name: "foreign"} },
	} {
		changed := shared.DeepCopy()
		change(changed)
		_, err = u.Domains().Update(t.Context(), changed, metav1.UpdateOptions{})
		require.True(t, apierrors.IsForbidden(err), "%s: %v", name, err)
	}
	withSecret("own")(shared)
	_, err = u.Domains().Update(t.Context(), shared, metav1.UpdateOptions{})
	require.NoError(t, err)
}

func TestDomainAdoption(t *testing.T) {
	t.Parallel()
	namespace := env.Namespace(t)
	u, adopter := env.User(t, namespace, "edit"), env.User(t, namespace, "edit")
	env.Grant(t, adopter, rbacv1.PolicyRule{APIGroups: []string{"takaro.roadstead.dev"}, Resources: []string{"domains"},
		Verbs: []string{"adopt"}})
	adopting := func(name string) *v1alpha1.Domain {
		return newDomain(name, func(d *v1alpha1.Domain) { d.Spec.Adopt, d.Spec.ExternalReferenceID = true, name+"-"+namespace })
	}
	_, err := u.Domains().Create(t.Context(), adopting("refused"), metav1.CreateOptions{})
	require.ErrorContains(t, err, `spec.adopt: set spec.credentialsSecretRef to a Secret with your own admin token, or request the RBAC `+
		`verb "adopt" on domains.takaro.roadstead.dev`)
	created(t, adopter, adopting("allowed"))

	own := adopting("own")
	withSecret("mine")(own)
	own = created(t, u, own)
	own.Spec.CredentialsSecretRef = nil
	_, err = u.Domains().Update(t.Context(), own, metav1.UpdateOptions{})
	require.True(t, apierrors.IsForbidden(err), "dropping one's own credentials is borrowing those of the installation: %v", err)
}

func TestImpersonationReachesTheServer(t *testing.T) {
	t.Parallel()
	u := limited(t, env.Namespace(t))
	config := env.Cluster.AdminConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: u.Name(), Groups: []string{"system:authenticated"}}
	domains := framework.ClientFor(t, config).TakaroV1alpha1().Domains(u.Namespace)
	_, err := domains.Create(t.Context(), newDomain("mine"), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = domains.Create(t.Context(), newDomain("refused", withSecret("foreign")), metav1.CreateOptions{})
	require.ErrorContains(t, err, "spec.credentialsSecretRef", "the server must see the impersonated user, not the administrator")
}

// direct returns a configuration for the server that bypasses the aggregator.
func direct(certPEM, keyPEM []byte) *rest.Config {
	return &rest.Config{
		Host:            "https://" + env.Roadstead.APIServerAddr(),
		TLSClientConfig: rest.TLSClientConfig{Insecure: true, CertData: certPEM, KeyData: keyPEM},
	}
}

func TestAnonymousGetsHealthOnly(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/healthz", "/livez", "/readyz"} {
		require.Equal(t, http.StatusOK, framework.Do(t, direct(nil, nil), framework.Request{Path: path}).Code, path)
	}
	for _, path := range []string{"/", "/apis", "/openapi/v3", "/metrics", "/debug/pprof/", framework.DomainsPath("default")} {
		require.Equal(t, http.StatusForbidden, framework.Do(t, direct(nil, nil), framework.Request{Path: path}).Code, path)
	}
	stranger := env.Cluster.AdminConfig()
	stranger.CertData, stranger.KeyData, stranger.CertFile, stranger.KeyFile = nil, nil, "", ""
	require.Equal(t, http.StatusForbidden, framework.Do(t, stranger, framework.Request{Path: framework.DomainsPath("default")}).Code)
}

func TestForgedHeadersAreIgnored(t *testing.T) {
	t.Parallel()
	cert, key, err := env.Cluster.ClientCertificate("mallory")
	require.NoError(t, err)
	proxyCert, proxyKey := env.Cluster.FrontProxyClient()
	forgedCert, forgedKey := ofAnotherCA(t, read(t, proxyCert))
	for name, tc := range map[string]struct {
		cert, key []byte
		code      int
	}{
		"a user's certificate":       {cert, key, http.StatusForbidden},
		"no certificate":             {nil, nil, http.StatusForbidden},
		"another CA's certificate":   {forgedCert, forgedKey, http.StatusUnauthorized},
		"the aggregator's own":       {read(t, proxyCert), read(t, proxyKey), http.StatusOK},
		"aggregator, without header": {read(t, proxyCert), read(t, proxyKey), http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			config := direct(tc.cert, tc.key)
			config.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if name != "aggregator, without header" {
						r.Header.Set("X-Remote-User", "admin")
						r.Header.Set("X-Remote-Group", "system:masters")
					}
					return next.RoundTrip(r)
				})
			})
			answer := framework.Do(t, config, framework.Request{Path: framework.DomainsPath("default")})
			require.Equal(t, tc.code, answer.Code, "%s", answer.Body)
			if name == "a user's certificate" {
				var status metav1.Status
				require.NoError(t, json.Unmarshal(answer.Body, &status))
				require.Contains(t, status.Message, `User "mallory"`)
			}
		})
	}
	// TLS versions below 1.2 are rejected.
	_, err = tls.Dial("tcp", env.Roadstead.APIServerAddr(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11,
		MinVersion: tls.VersionTLS10})
	require.ErrorContains(t, err, "protocol version")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}
