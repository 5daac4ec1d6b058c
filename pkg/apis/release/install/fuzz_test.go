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

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
)

// FuzzDecode lets anything pass as an object in JSON, YAML or protobuf: decoding, defaulting and validation must not panic,
// and what was accepted must be written and read unchanged.
func FuzzDecode(f *testing.F) {
	for _, folder := range []string{"../testdata/wire", "../../../../testdata/store"} {
		seed(f, folder)
	}
	scheme := runtime.NewScheme()
	Install(scheme)
	codecs := serializer.NewCodecFactory(scheme)
	f.Fuzz(func(t *testing.T, data []byte) {
		object, gvk, err := codecs.UniversalDecoder(release.SchemeGroupVersion).Decode(data, nil, nil)
		if err != nil || gvk.Group != v1alpha1.GroupName {
			return
		}
		if valid(t, scheme, object) {
			requireStable(t, codecs, object)
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

// valid runs all that judges a new object by itself.
func valid(t *testing.T, scheme *runtime.Scheme, object runtime.Object) bool {
	t.Helper()
	accepted := false
	switch object := object.(type) {
	case *release.Operator:
		accepted = len(validation.ValidateOperator(object)) == 0
		if accepted && len(validation.ValidateOperatorUpdate(object, object)) > 0 {
			t.Fatal("what create takes, an update without a change does not")
		}
	case *release.OperatorVersion:
		accepted = len(validation.ValidateOperatorVersion(object)) == 0
	case *release.CRDSchema:
		accepted = len(validation.ValidateCRDSchema(object)) == 0
		if accepted && len(validation.ValidateCRDSchemaUpdate(object, object)) > 0 {
			t.Fatal("what create takes, an update without a change does not")
		}
	case *release.CRDSnapshot:
		accepted = len(validation.ValidateCRDSnapshot(object)) == 0
	case *release.Approval:
		accepted = len(validation.ValidateApproval(object)) == 0
	}
	published, err := scheme.ConvertToVersion(object.DeepCopyObject(), v1alpha1.SchemeGroupVersion)
	return err == nil && len(scheme.Validate(t.Context(), nil, published)) == 0 && accepted
}

// requireStable writes and reads an object in every encoding.
func requireStable(t *testing.T, codecs serializer.CodecFactory, object runtime.Object) {
	t.Helper()
	for _, info := range codecs.SupportedMediaTypes() {
		codec := codecs.CodecForVersions(info.Serializer, info.Serializer, schema.GroupVersions{v1alpha1.SchemeGroupVersion}, schema.GroupVersions{release.SchemeGroupVersion})
		first := &bytes.Buffer{}
		if err := codec.Encode(object, first); err != nil {
			// Such as managed fields that came in protobuf and are no JSON.
			continue
		}
		again, _, err := codec.Decode(first.Bytes(), nil, nil)
		if err != nil {
			t.Fatalf("%s: what was written cannot be read: %v\n%q", info.MediaType, err, first)
		}
		second := &bytes.Buffer{}
		if err := codec.Encode(again, second); err != nil {
			t.Fatalf("%s: %v", info.MediaType, err)
		}
		// Objects are compared, not bytes: JSON has two spellings of what was no UTF-8 in protobuf.
		last, _, err := codec.Decode(second.Bytes(), nil, nil)
		if err != nil || !apiequality.Semantic.DeepEqual(again, last) {
			t.Fatalf("%s: %q became %q (%v)", info.MediaType, first, second, err)
		}
	}
}
