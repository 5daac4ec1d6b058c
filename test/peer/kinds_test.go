// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/builder3"

	release "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takaro "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/openapi"
)

// published returns the schemas that Roadstead's server publishes for some types, as an OpenAPI
// document.
func published(t *testing.T, models ...interface{ OpenAPIModelName() string }) []byte {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, takaro.AddToScheme(scheme))
	require.NoError(t, release.AddToScheme(scheme))
	config := genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(scheme))
	var names []string
	for _, model := range models {
		names = append(names, model.OpenAPIModelName())
	}
	schemas, err := builder3.BuildOpenAPIDefinitionsForResources(config, names...)
	require.NoError(t, err)
	document, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": schemas}})
	require.NoError(t, err)
	return document
}

// TestKindsAreValidDefinitions uses the validation of kube-apiserver's library, including CEL's
// cost estimate.
func TestKindsAreValidDefinitions(t *testing.T) {
	document := published(t, takaro.Domain{}, takaro.User{}, release.CRDSchema{})
	scheme := runtime.NewScheme()
	require.NoError(t, apiextensionsv1.AddToScheme(scheme))
	require.NoError(t, apiextensions.AddToScheme(scheme))
	for _, kind := range []Kind{Domain, User, CRDSchema} {
		schema, err := Schema(document, kind.Name)
		require.NoError(t, err)
		require.NoError(t, kind.amendments.apply(schema))
		text, err := json.Marshal(kind.Definition(kind.PeerGroup(), schema).Object)
		require.NoError(t, err)
		definition, internal := &apiextensionsv1.CustomResourceDefinition{}, &apiextensions.CustomResourceDefinition{}
		require.NoError(t, json.Unmarshal(text, definition))
		scheme.Default(definition)
		require.NoError(t, scheme.Convert(definition, internal, nil))
		internal.Status.StoredVersions = []string{Version}
		require.Empty(t, validation.ValidateCustomResourceDefinition(t.Context(), internal), kind.Name)
	}
}
