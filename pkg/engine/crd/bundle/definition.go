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

// definitionOf decodes a definition. Unknown fields are passed over, as the API server does.
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
	return nil, fmt.Errorf("a CustomResourceDefinition of apiVersion %q cannot be read, only one of %s or of %s",
		apiVersion, apiextensionsv1.SchemeGroupVersion, apiextensionsv1beta1.SchemeGroupVersion)
}

// upgraded is what an API server that still knew v1beta1 would have shown as v1.
func upgraded(legacy *apiextensionsv1beta1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	scheme.Default(legacy)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(legacy, internal, nil); err != nil {
		return nil, fmt.Errorf("v1beta1 cannot be converted: %w", err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(internal, definition, nil); err != nil {
		return nil, fmt.Errorf("v1beta1 cannot be converted to v1: %w", err)
	}
	return definition, nil
}
