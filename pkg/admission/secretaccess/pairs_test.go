// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// review sends an update by a caller who may get no Secret.
func review(t *testing.T, resource schema.GroupResource, obj, old runtime.Object) error {
	t.Helper()
	return plugin(asking(new([]string))).Validate(t.Context(),
		admission.NewAttributesRecord(obj, old, schema.GroupVersionKind{}, "ns", "name",
			resource.WithVersion("v1alpha1"), "", admission.Update, nil, false, &user.DefaultInfo{Name: "alice"}), nil)
}

// TestPairs_ChangedDestination changes one field of an object whose Secrets were reviewed.
func TestPairs_ChangedDestination(t *testing.T) {
	ref := func(name string) *takaro.SecretKeyReference { return &takaro.SecretKeyReference{Name: name, Key: "k"} }
	domain := &takaro.Domain{Spec: takaro.DomainSpec{TakaroAPIURL: "https://takaro.test", CredentialsSecretRef: ref("admin")}}
	bound := domain.DeepCopy()
	bound.Status.RegistrationTokenSecretRef = &takaro.LocalObjectReference{Name: "token"}
	server := &takaro.MockServer{Spec: takaro.MockServerSpec{
		Image: "game:1", TakaroAPIURL: "https://takaro.test", CredentialsSecretRef: ref("admin"),
		Redis: &takaro.MockServerRedis{Host: "redis", Port: ptr.To[int32](6379), PasswordSecretRef: ref("redis")},
	}}
	user := &takaro.User{Spec: takaro.UserSpec{Email: "a@example.com", PasswordSecretRef: ref("mine"),
		DomainRef: takaro.LocalObjectReference{Name: "arena"}}}
	chart := operator("login", "values")
	chart.Spec.Chart.Repository, chart.Spec.Chart.Name = "https://charts.test", "widgets"
	values := operator("", "values")

	for name, c := range map[string]struct {
		object runtime.Object
		change func(runtime.Object)
		// err is empty if the caller is not reviewed.
		err string
	}{
		"Domain, description": {domain, func(o runtime.Object) { o.(*takaro.Domain).Spec.Description = "new" }, ""},
		"Domain, address": {domain, func(o runtime.Object) { o.(*takaro.Domain).Spec.TakaroAPIURL = "https://evil.test" },
			`Secret "admin" in namespace "ns", which Roadstead would send to https://evil.test`},
		"Domain, CA": {domain, func(o runtime.Object) { o.(*takaro.Domain).Spec.CABundleSecretRef = ref("evil") },
			`spec.credentialsSecretRef: you may not get Secret "admin"`},
		"Domain, connector before there is a token": {domain,
			func(o runtime.Object) { o.(*takaro.Domain).Spec.ConnectorURL = "wss://evil.test" }, ""},
		"Domain, connector": {bound,
			func(o runtime.Object) { o.(*takaro.Domain).Spec.ConnectorURL = "wss://evil.test" },
			`spec.connectorUrl: you may not get Secret "token" in namespace "ns", which Roadstead would send to wss://evil.test`},
		"MockServer, replicas": {server,
			func(o runtime.Object) { o.(*takaro.MockServer).Spec.Replicas = ptr.To[int32](2) }, ""},
		"MockServer, address": {server,
			func(o runtime.Object) { o.(*takaro.MockServer).Spec.TakaroAPIURL = "https://evil.test" },
			`spec.credentialsSecretRef: you may not get Secret "admin"`},
		"MockServer, CA": {server,
			func(o runtime.Object) { o.(*takaro.MockServer).Spec.CABundleSecretRef = ref("evil") },
			`spec.credentialsSecretRef: you may not get Secret "admin"`},
		"MockServer, host of Redis": {server, func(o runtime.Object) { o.(*takaro.MockServer).Spec.Redis.Host = "evil" },
			`spec.redis.passwordSecretRef: you may not get Secret "redis" in namespace "ns", which Roadstead would send to evil:6379`},
		"MockServer, port of Redis": {server,
			func(o runtime.Object) { o.(*takaro.MockServer).Spec.Redis.Port = ptr.To[int32](1) }, `would send to redis:1`},
		"MockServer, user of Redis": {server,
			func(o runtime.Object) { o.(*takaro.MockServer).Spec.Redis.Username = "evil" }, `Secret "redis"`},
		"MockServer, image": {server, func(o runtime.Object) { o.(*takaro.MockServer).Spec.Image = "evil:1" },
			`Secret "redis"`},
		"User, roles": {user, func(o runtime.Object) { o.(*takaro.User).Spec.Roles = []string{"Admin"} }, ""},
		"User, Domain": {user, func(o runtime.Object) { o.(*takaro.User).Spec.DomainRef.Name = "evil" },
			`Secret "mine" in namespace "ns", which Roadstead would send to the Takaro of Domain "evil"`},
		"Operator, history": {chart,
			func(o runtime.Object) { o.(*release.Operator).Spec.VersionHistoryLimit = ptr.To[int32](1) }, ""},
		"Operator, repository": {chart,
			func(o runtime.Object) { o.(*release.Operator).Spec.Chart.Repository = "https://evil.test" },
			`Secret "login" in namespace "charts", which Roadstead would send to https://evil.test`},
		"Operator, chart": {chart, func(o runtime.Object) { o.(*release.Operator).Spec.Chart.Name = "evil" },
			`Secret "login"`},
		"Operator, values": {values, func(o runtime.Object) {
			o.(*release.Operator).Spec.Values = &runtime.RawExtension{Raw: []byte(`{"a":1}`)}
		}, `spec.valuesFrom[0].secretRef: you may not get Secret "values"`},
		"Operator, environment's values": {values, func(o runtime.Object) {
			o.(*release.Operator).Spec.EnvironmentValues = map[string]runtime.RawExtension{"Production": {Raw: []byte(`{"a":1}`)}}
		}, `Secret "values"`},
		"Operator, another Secret with values": {values, func(o runtime.Object) {
			operator := o.(*release.Operator)
			operator.Spec.ValuesFrom = append(operator.Spec.ValuesFrom,
				release.ValuesSource{SecretRef: &release.SecretKeyReference{Name: "evil"}})
		}, `spec.valuesFrom[0].secretRef: you may not get Secret "values"`},
	} {
		t.Run(name, func(t *testing.T) {
			resource := map[string]schema.GroupResource{
				"Dom": takaro.Resource("domains"), "Moc": takaro.Resource("mockservers"), "Use": takaro.Resource("users"),
				"Ope": release.Resource("operators"),
			}[name[:3]]
			require.NoError(t, review(t, resource, c.object.DeepCopyObject(), c.object), "what was reviewed is not reviewed again")
			changed := c.object.DeepCopyObject()
			c.change(changed)
			err := review(t, resource, changed, c.object)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
		})
	}
}
