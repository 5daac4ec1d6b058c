// SPDX-License-Identifier: Apache-2.0

package install

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"roadstead.dev/roadstead/pkg/apis/encodingtest"
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
)

// FuzzDecode lets anything pass as an object in JSON, YAML or protobuf: decoding, defaulting and validation must not panic,
// and what was accepted must be written and read unchanged.
func FuzzDecode(f *testing.F) {
	encodingtest.Seed(f, "../testdata/wire", "../../../../testdata/store")
	scheme := runtime.NewScheme()
	Install(scheme)
	codecs := serializer.NewCodecFactory(scheme)
	f.Fuzz(func(t *testing.T, data []byte) {
		object, gvk, err := codecs.UniversalDecoder(release.SchemeGroupVersion).Decode(data, nil, nil)
		if err != nil || gvk.Group != v1alpha1.GroupName {
			return
		}
		if valid(t, scheme, object) {
			encodingtest.RequireStable(t, codecs, object, v1alpha1.SchemeGroupVersion, release.SchemeGroupVersion)
		}
	})
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
