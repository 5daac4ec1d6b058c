// SPDX-License-Identifier: Apache-2.0

package install

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"roadstead.dev/roadstead/pkg/apis/encodingtest"
	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
)

// FuzzDecode lets anything pass as an object in JSON, YAML or protobuf through what serves and what stores: decoding,
// defaulting and validation must not panic, and what was decoded must be written and read unchanged.
func FuzzDecode(f *testing.F) {
	encodingtest.Seed(f, "../testdata/wire", "../../../../testdata/store")
	serving, storing := runtime.NewScheme(), runtime.NewScheme()
	Install(serving)
	Install(storing)
	utilruntime.Must(HideWriteOnly(serving))
	codecFactories := map[string]serializer.CodecFactory{"serving": serializer.NewCodecFactory(serving),
		"storing": serializer.NewCodecFactory(storing)}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, codecs := range codecFactories {
			object, gvk, err := codecs.UniversalDecoder(takaro.SchemeGroupVersion).Decode(data, nil, nil)
			if err != nil || gvk.Group != v1alpha1.GroupName {
				continue
			}
			validate(t, storing, object)
			t.Log(name)
			encodingtest.RequireStable(t, codecs, object, v1alpha1.SchemeGroupVersion, takaro.SchemeGroupVersion)
		}
	})
}

// validate runs all that judges a new object. Its verdict does not matter here.
func validate(t *testing.T, scheme *runtime.Scheme, object runtime.Object) {
	t.Helper()
	if published, err := scheme.ConvertToVersion(object.DeepCopyObject(), v1alpha1.SchemeGroupVersion); err == nil {
		_ = scheme.Validate(t.Context(), nil, published)
	}
	switch object := object.(type) {
	case *takaro.Domain:
		_, _ = validation.ValidateDomain(object), validation.ValidateDomainUpdate(object, object)
	case *takaro.MockServer:
		_, _ = validation.ValidateMockServer(object), validation.ValidateMockServerUpdate(object, object)
	case *takaro.User:
		_, _ = validation.ValidateUser(object), validation.ValidateUserUpdate(object, object)
	}
}
