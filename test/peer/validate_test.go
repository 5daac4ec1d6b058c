// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	release "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takaro "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// indexed implements client.FieldIndexer with the builder of a fake client.
type indexed struct{ *fake.ClientBuilder }

func (i indexed) IndexField(_ context.Context, object client.Object, field string, extract client.IndexerFunc) error {
	i.WithIndex(object, field, extract)
	return nil
}

func definitionOf(field string) []byte {
	return []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.test"},
	  "spec":{"group":"example.test","scope":"Namespaced",
		"names":{"plural":"widgets","singular":"widget","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{` + field + `}}}}]}}`)
}

func TestWebhookHoldsTheRulesBetweenObjects(t *testing.T) {
	scheme := runtime.NewScheme()
	register(scheme, takaroGroup, &takaro.Domain{}, &takaro.DomainList{}, &takaro.User{}, &takaro.UserList{})
	register(scheme, releaseGroup, &release.CRDSchema{}, &release.CRDSchemaList{})
	now := metav1.Now()
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "ns"} }
	user := func(domain, email string) *takaro.User {
		return &takaro.User{ObjectMeta: meta("new"), Spec: takaro.UserSpec{Email: email, DomainRef: takaro.LocalObjectReference{Name: domain}}}
	}
	domain := func(url, reference string) *takaro.Domain {
		return &takaro.Domain{ObjectMeta: meta("new"), Spec: takaro.DomainSpec{TakaroAPIURL: url, ExternalReferenceID: reference}}
	}
	schema := func(against, field string) *release.CRDSchema {
		made := &release.CRDSchema{ObjectMeta: metav1.ObjectMeta{Name: "new"},
			Spec: release.CRDSchemaSpec{Definition: runtime.RawExtension{Raw: definitionOf(field)}}}
		if against != "" {
			made.Spec.AgainstRef = &release.LocalObjectReference{Name: against}
		}
		return made
	}
	first := schema("", `"size":{"type":"string"}`)
	first.Name = "first"
	going := &takaro.Domain{ObjectMeta: meta("going")}
	going.DeletionTimestamp, going.Finalizers = &now, []string{"x/y"}
	taken := user("there", "Alice@example.test")
	taken.Name = "alice"
	claimed := domain("https://a", "ref")
	claimed.Name = "claimed"
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(&takaro.Domain{ObjectMeta: meta("there")}, going, taken, claimed, first)
	require.NoError(t, index(t.Context(), indexed{builder}))
	hook := &validator{reader: builder.Build(), decoder: admission.NewDecoder(scheme)}
	for name, c := range map[string]struct {
		kind             Kind
		object           any
		refusal, warning string
	}{
		"a user":                 {User, user("there", "bob@example.test"), "", ""},
		"without its domain":     {User, user("later", "bob@example.test"), "", "not there yet"},
		"of one that goes":       {User, user("going", "bob@example.test"), "is being deleted", ""},
		"with a taken login":     {User, user("there", "alice@example.test"), `is that of User "alice"`, ""},
		"a domain":               {Domain, domain("https://b", "ref"), "", ""},
		"over http":              {Domain, domain("http://b", ""), "", "http"},
		"with a taken reference": {Domain, domain("https://a", "ref"), "ns/claimed", ""},
		"a schema":               {CRDSchema, schema("", `"size":{"type":"string"}`), "", ""},
		"that adds":              {CRDSchema, schema("first", `"size":{"type":"string"},"more":{"type":"string"}`), "", ""},
		"that breaks":            {CRDSchema, schema("first", `"size":{"type":"integer"}`), "the change from CRDSchema first", ""},
		"that follows nothing":   {CRDSchema, schema("none", `"size":{"type":"string"}`), `"none" does not exist`, ""},
	} {
		raw, err := json.Marshal(c.object)
		require.NoError(t, err, name)
		version := metav1.GroupVersionKind{Group: c.kind.PeerGroup(), Version: Version, Kind: c.kind.Name}
		answer := hook.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			Kind: version, Namespace: "ns", Object: runtime.RawExtension{Raw: withKind(t, raw, version)},
		}})
		require.Equal(t, c.refusal == "", answer.Allowed, "%s: %v", name, answer.Result)
		if c.refusal != "" {
			require.Contains(t, answer.Result.Message, c.refusal, name)
		}
		if c.warning != "" {
			require.Len(t, answer.Warnings, 1, name)
			require.Contains(t, answer.Warnings[0], c.warning, name)
		}
	}
}

func withKind(t *testing.T, raw []byte, kind metav1.GroupVersionKind) []byte {
	t.Helper()
	var object map[string]any
	require.NoError(t, json.Unmarshal(raw, &object))
	object["apiVersion"], object["kind"] = kind.Group+"/"+kind.Version, kind.Kind
	text, err := json.Marshal(object)
	require.NoError(t, err)
	return text
}
