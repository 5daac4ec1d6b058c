// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const system = "roadstead-system"

func secret(namespace, name string, data map[string]string) *corev1.Secret {
	made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{}}
	for key, value := range data {
		made.Data[key] = []byte(value)
	}
	return made
}

func installed(name string, data map[string]string) *corev1.Secret {
	made := secret(system, name, data)
	made.Labels = map[string]string{Label: "true"}
	return made
}

func resolver(static *Static, objects ...client.Object) *Resolver {
	store := fake.NewClientBuilder().WithObjects(objects...).Build()
	return NewResolver(store, secrets.NewReader(store, store), system, static)
}

func domain(url string, change ...func(*v1alpha1.DomainSpec)) *v1alpha1.Domain {
	d := &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "arena"}, Spec: v1alpha1.DomainSpec{TakaroAPIURL: url}}
	for _, do := range change {
		do(&d.Spec)
	}
	return d
}

func own(spec *v1alpha1.DomainSpec) {
	spec.CredentialsSecretRef = &v1alpha1.SecretKeyReference{Name: "own", Key: "adminToken"}
}

func ownCA(spec *v1alpha1.DomainSpec) {
	spec.CABundleSecretRef = &v1alpha1.SecretKeyReference{Name: "ca", Key: "ca.crt"}
}

func TestResolve(t *testing.T) {
	ours := secret("team", "own", map[string]string{"adminToken": " own-token\n"})
	theirs := installed("b", map[string]string{"url": "https://API.example/", "adminToken": "installed-token\n", "ca.crt": "installed CA"})
	static := &Static{URL: "https://static.example", AdminToken: "static-token\n"}
	authority := secret("team", "ca", map[string]string{"ca.crt": "own CA"})
	const ownToken = `Secret "team/own" under key "adminToken"`
	theirSources := Sources{Token: `Secret "roadstead-system/b" under key "adminToken"`, CA: `Secret "roadstead-system/b" under key "ca.crt"`}
	cases := []struct {
		name           string
		domain         *v1alpha1.Domain
		objects        []client.Object
		url, token, ca string
		from           Sources
	}{
		{"own credentials, trimmed", domain("https://Elsewhere.example/", own), []client.Object{ours}, "https://elsewhere.example", "own-token",
			"", Sources{Token: ownToken}},
		{"own credentials keep their path", domain("https://elsewhere.example/takaro/", own), []client.Object{ours},
			"https://elsewhere.example/takaro", "own-token", "", Sources{Token: ownToken}},
		{"own credentials at the installation's address", domain("https://api.example", own), []client.Object{ours, theirs},
			"https://api.example", "own-token", "installed CA", Sources{Token: ownToken, CA: `Secret "roadstead-system/b" under key "ca.crt"`}},
		{"own CA", domain("https://api.example", own, ownCA), []client.Object{ours, theirs, authority}, "https://api.example", "own-token",
			"own CA", Sources{Token: ownToken, CA: `Secret "team/ca" under key "ca.crt"`}},
		{"the installation's", domain("https://api.example:443"), []client.Object{theirs}, "https://api.example", "installed-token",
			"installed CA", theirSources},
		{"another path never gets the installation's token there", domain("https://api.example/evil"), []client.Object{theirs},
			"https://api.example", "installed-token", "installed CA", theirSources},
		{"the first by name", domain("https://api.example"), []client.Object{theirs,
			installed("a", map[string]string{"url": "https://api.example", "adminToken": "first"})}, "https://api.example", "first", "",
			Sources{Token: `Secret "roadstead-system/a" under key "adminToken"`}},
		{"useless ones are passed over", domain("https://api.example"), []client.Object{theirs,
			installed("a", map[string]string{"url": "https://api.example", "adminToken": " "}), installed("a2", map[string]string{"url": "::",
				"adminToken": "x"})}, "https://api.example", "installed-token", "installed CA", theirSources},
		{"the environment's", domain("https://static.example"), []client.Object{theirs}, "https://static.example", "static-token", "",
			Sources{Token: fromEnvironment}},
		{"a Secret before the environment", domain("https://static.example"),
			[]client.Object{installed("s", map[string]string{"url": "https://static.example", "adminToken": "x"})}, "https://static.example", "x",
			"", Sources{Token: `Secret "roadstead-system/s" under key "adminToken"`}},
	}
	for _, c := range cases {
		got, err := resolver(static, c.objects...).Resolve(t.Context(), c.domain)
		require.NoError(t, err, c.name)
		assert.Equal(t, []string{c.url, c.token, c.ca}, []string{got.URL, got.AdminToken.Reveal(), string(got.CABundle)}, c.name)
		assert.Equal(t, c.from, got.From, c.name)
		assert.Equal(t, c.domain.Spec.CredentialsSecretRef != nil, got.Own, c.name)
	}
}

func TestResolveProblems(t *testing.T) {
	theirs := installed("a", map[string]string{"url": "https://api.example", "adminToken": "installed-token"})
	unlabelled := secret(system, "a", map[string]string{"url": "https://api.example", "adminToken": "x"})
	elsewhere := installed("a", map[string]string{"url": "https://api.example", "adminToken": "x"})
	elsewhere.Namespace = "team"
	cases := []struct {
		name, reason, says string
		domain             *v1alpha1.Domain
		objects            []client.Object
	}{
		{"not a URL", v1alpha1.ReasonEndpointRefused, "spec.takaroApiUrl", domain("ftp://x"), nil},
		{"none", v1alpha1.ReasonEndpointNotConfigured, Label, domain("https://api.example"), nil},
		{"another scheme", v1alpha1.ReasonEndpointNotConfigured, Label, domain("http://api.example"), []client.Object{theirs}},
		{"another port", v1alpha1.ReasonEndpointNotConfigured, Label, domain("https://api.example:8443"), []client.Object{theirs}},
		{"another host", v1alpha1.ReasonEndpointNotConfigured, Label, domain("https://api.example.evil"), []client.Object{theirs}},
		{"unlabelled", v1alpha1.ReasonEndpointNotConfigured, Label, domain("https://api.example"), []client.Object{unlabelled}},
		{"labelled in another namespace", v1alpha1.ReasonEndpointNotConfigured, Label, domain("https://api.example"), []client.Object{elsewhere}},
		{"own Secret missing", v1alpha1.ReasonSecretNotFound, `"own"`, domain("https://api.example", own), []client.Object{theirs}},
		{"key missing", v1alpha1.ReasonSecretKeyMissing, `"adminToken"`, domain("https://api.example", own),
			[]client.Object{secret("team", "own", map[string]string{"token": "x"})}},
		{"value blank", v1alpha1.ReasonSecretKeyMissing, `"adminToken"`, domain("https://api.example", own),
			[]client.Object{secret("team", "own", map[string]string{"adminToken": " \n"})}},
		{"CA missing", v1alpha1.ReasonSecretNotFound, "spec.caBundleSecretRef", domain("https://api.example", own, ownCA), []client.Object{theirs,
			secret("team", "own", map[string]string{"adminToken": "x"})}},
		{"own CA with the installation's token", v1alpha1.ReasonEndpointRefused, "Set spec.credentialsSecretRef too",
			domain("https://api.example", ownCA),
			[]client.Object{theirs, secret("team", "ca", map[string]string{"ca.crt": "own CA"})}},
	}
	for _, c := range cases {
		_, err := resolver(nil, c.objects...).Resolve(t.Context(), c.domain)
		var problem *base.Blocked
		require.True(t, errors.As(err, &problem), "%s: %v", c.name, err)
		assert.Equal(t, c.reason, problem.Reason, c.name)
		assert.Contains(t, problem.Error(), c.says, c.name)
		assert.NotContains(t, problem.Error(), "installed-token", c.name)
	}
}

func TestKey(t *testing.T) {
	base := takaro.Endpoint{URL: "https://a", AdminToken: takaro.NewSecret("t"), CABundle: []byte("c")}
	same := takaro.Endpoint{URL: "https://a", AdminToken: takaro.NewSecret("t"), CABundle: []byte("c")}
	assert.Equal(t, KeyOf(base), KeyOf(same))
	for _, other := range []takaro.Endpoint{
		{URL: "https://at", AdminToken: takaro.NewSecret(""), CABundle: []byte("c")},
		{URL: "https://a", AdminToken: takaro.NewSecret("tc")},
		{URL: "https://b", AdminToken: base.AdminToken, CABundle: base.CABundle},
		{URL: base.URL, AdminToken: base.AdminToken, CABundle: base.CABundle, Own: true},
	} {
		assert.NotEqual(t, KeyOf(base), KeyOf(other))
	}
}

func TestSameOrigin(t *testing.T) {
	assert.True(t, SameOrigin("https://a/x", "https://a/y"))
	assert.False(t, SameOrigin("https://a", "http://a"))
	assert.False(t, SameOrigin("https://a:1", "https://a:2"))
	assert.False(t, SameOrigin("https://a", "https://[::1"))
	assert.False(t, SameOrigin("https://[::1", "https://a"))
}
