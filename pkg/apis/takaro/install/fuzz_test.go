// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
)

// FuzzDecode lets anything pass as an object in JSON, YAML or protobuf through what serves and what stores: decoding,
// defaulting and validation must not panic, and what was decoded must be written and read unchanged.
func FuzzDecode(f *testing.F) {
	for _, folder := range []string{"../testdata/wire", "../../../../testdata/store"} {
		seed(f, folder)
	}
	serving, storing := runtime.NewScheme(), runtime.NewScheme()
	Install(serving)
	Install(storing)
	utilruntime.Must(HideWriteOnly(serving))
	codecFactories := map[string]serializer.CodecFactory{"serving": serializer.NewCodecFactory(serving), "storing": serializer.NewCodecFactory(storing)}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, codecs := range codecFactories {
			object, gvk, err := codecs.UniversalDecoder(takaro.SchemeGroupVersion).Decode(data, nil, nil)
			if err != nil || gvk.Group != v1alpha1.GroupName {
				continue
			}
			validate(t, storing, object)
			requireStable(t, name, codecs, object)
		}
	})
}

func seed(f *testing.F, folder string) {
	f.Helper()
	seeds := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		f.Add(content)
		seeds++
		return err
	})
	if err != nil || seeds == 0 {
		f.Fatalf("%d seeds in %s: %v", seeds, folder, err)
	}
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

// requireStable writes and reads an object in every encoding.
func requireStable(t *testing.T, name string, codecs serializer.CodecFactory, object runtime.Object) {
	t.Helper()
	for _, info := range codecs.SupportedMediaTypes() {
		codec := codecs.CodecForVersions(info.Serializer, info.Serializer, schema.GroupVersions{v1alpha1.SchemeGroupVersion}, schema.GroupVersions{takaro.SchemeGroupVersion})
		first := &bytes.Buffer{}
		if err := codec.Encode(object, first); err != nil {
			// Such as managed fields that came in protobuf and are no JSON.
			continue
		}
		again, _, err := codec.Decode(first.Bytes(), nil, nil)
		if err != nil {
			t.Fatalf("%s, %s: what was written cannot be read: %v\n%q", name, info.MediaType, err, first)
		}
		second := &bytes.Buffer{}
		if err := codec.Encode(again, second); err != nil {
			t.Fatalf("%s, %s: %v", name, info.MediaType, err)
		}
		// Objects are compared, not bytes: JSON has two spellings of what was no UTF-8 in protobuf.
		last, _, err := codec.Decode(second.Bytes(), nil, nil)
		if err != nil || !apiequality.Semantic.DeepEqual(again, last) {
			t.Fatalf("%s, %s: %q became %q (%v)", name, info.MediaType, first, second, err)
		}
	}
}
