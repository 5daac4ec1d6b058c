// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	kjson "sigs.k8s.io/json"
)

var (
	scheme = func() *runtime.Scheme {
		scheme := runtime.NewScheme()
		install.Install(scheme)
		if err := corev1.AddToScheme(scheme); err != nil {
			panic(err)
		}
		return scheme
	}()
	codecs = serializer.NewCodecFactory(scheme)
)

// definitionOf decodes a CRD. Like the API server, it ignores unknown fields.
func definitionOf(apiVersion string, encoded []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	switch apiVersion {
	case apiextensionsv1.SchemeGroupVersion.String():
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(encoded, definition); err != nil {
			return nil, err
		}
		return definition, nil
	case apiextensionsv1beta1.SchemeGroupVersion.String():
		legacy := &apiextensionsv1beta1.CustomResourceDefinition{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(encoded, legacy); err != nil {
			return nil, err
		}
		return upgraded(legacy)
	}
	return nil, fmt.Errorf("apiVersion %q of a CustomResourceDefinition is not supported: must be %s or %s",
		apiVersion, apiextensionsv1.SchemeGroupVersion, apiextensionsv1beta1.SchemeGroupVersion)
}

// upgraded converts a v1beta1 CRD to v1 like an API server that supported both versions.
func upgraded(legacy *apiextensionsv1beta1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	scheme.Default(legacy)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(legacy, internal, nil); err != nil {
		return nil, fmt.Errorf("convert from v1beta1: %w", err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(internal, definition, nil); err != nil {
		return nil, fmt.Errorf("convert from v1beta1 to v1: %w", err)
	}
	return definition, nil
}
