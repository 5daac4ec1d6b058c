// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/evidence"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

const controller = "system:serviceaccount:roadstead-system:roadstead-controller"

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return scheme
}

// as returns the context of a request by a user.
func as(t *testing.T, name string) context.Context {
	ctx := genericapirequest.WithUser(genericapirequest.WithNamespace(t.Context(), ""), &user.DefaultInfo{Name: name})
	return genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create",
		APIGroup: release.GroupName, APIVersion: "v1alpha1", Resource: "crdschemas"})
}

// widgets returns the manifest of a CRD with a maximum of .spec.size; a lower limit is a breaking
// change.
func widgets(t *testing.T, limit int, edits ...func(*apiextensionsv1.CustomResourceDefinition)) runtime.RawExtension {
	t.Helper()
	definition, err := crdpolicy.Decode([]byte(fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
	  "metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget",
		  "listKind":"WidgetList"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
		  "properties":{"spec":{"type":"object","properties":{"size":{"type":"integer","maximum":%d}}}}}}}]}}`, limit)))
	require.NoError(t, err)
	for _, edit := range edits {
		edit(definition)
	}
	encoded, err := json.Marshal(definition)
	require.NoError(t, err)
	return runtime.RawExtension{Raw: encoded}
}

// gadgets changes the name and the kind of the CRD.
func gadgets(definition *apiextensionsv1.CustomResourceDefinition) {
	definition.Name, definition.Spec.Names.Plural = "gadgets.example.com", "gadgets"
}

// wide adds n fields with a maximum.
func wide(n int, limit float64) func(*apiextensionsv1.CustomResourceDefinition) {
	return func(definition *apiextensionsv1.CustomResourceDefinition) {
		spec := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		for i := range n {
			spec.Properties[fmt.Sprintf("f%03d", i)] = apiextensionsv1.JSONSchemaProps{Type: "number", Maximum: &limit}
		}
		definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	}
}

func decoded(t *testing.T, raw runtime.RawExtension) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition, err := crdpolicy.Decode(raw.Raw)
	require.NoError(t, err)
	return definition
}

func operatorWith(policy release.BreakingPolicy) *release.Operator {
	return &release.Operator{ObjectMeta: metav1.ObjectMeta{Name: "op"},
		Spec: release.OperatorSpec{CRDPolicy: release.CRDPolicy{Breaking: policy}}}
}

// versionOf returns an OperatorVersion whose CRDSchemas users create.
func versionOf(version string) *release.OperatorVersion {
	return &release.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: release.OperatorVersionName("op", version)},
		Spec: release.OperatorVersionSpec{OperatorRef: release.LocalObjectReference{Name: "op"}, Version: version,
			CRDSource: release.CRDSourceManual},
	}
}

// sideOf decodes an accepted CRDSchema.
func sideOf(t *testing.T, schema *release.CRDSchema) *crdpolicy.Side {
	t.Helper()
	accepted := schema.DeepCopy()
	accepted.Status.Approval = release.ApprovalNotRequired
	decoded, err := crdpolicy.NewSide(evidence.Of(accepted))
	require.NoError(t, err)
	return decoded
}

// schemaOf returns a CRDSchema of a version; without an OperatorVersion if version is empty.
func schemaOf(version string, definition runtime.RawExtension) *release.CRDSchema {
	if version == "" {
		return &release.CRDSchema{ObjectMeta: metav1.ObjectMeta{Name: "by-hand"}, Spec: release.CRDSchemaSpec{Definition: definition}}
	}
	name := release.OperatorVersionName("op", version)
	return &release.CRDSchema{
		ObjectMeta: metav1.ObjectMeta{Name: release.CRDSchemaName(name, "widgets.example.com")},
		Spec:       release.CRDSchemaSpec{OperatorVersionRef: &release.LocalObjectReference{Name: name}, Definition: definition},
	}
}
