// SPDX-License-Identifier: Apache-2.0

package install

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	takarofuzzer "roadstead.dev/roadstead/pkg/apis/takaro/fuzzer"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

// schemes returns the scheme of the storage and the scheme of requests.
func schemes(t *testing.T) (storing, serving *runtime.Scheme) {
	t.Helper()
	storing, serving = runtime.NewScheme(), runtime.NewScheme()
	Install(storing)
	Install(serving)
	require.NoError(t, HideWriteOnly(serving))
	return storing, serving
}

func TestUserConversion_IntoObjectWithPassword(t *testing.T) {
	storing, serving := schemes(t)
	for name, c := range map[string]struct {
		scheme      *runtime.Scheme
		given, want *string
	}{
		"storing, without a password": {storing, nil, nil},
		"storing, with a password":    {storing, ptr.To("given"), ptr.To("given")},
		"serving, without a password": {serving, nil, ptr.To("held")},
		"serving, with a password":    {serving, ptr.To("given"), ptr.To("given")},
	} {
		t.Run(name, func(t *testing.T) {
			into := &takaro.User{Spec: takaro.UserSpec{Password: ptr.To(writeonly.String("held"))}}
			require.NoError(t, c.scheme.Convert(&v1alpha1.User{Spec: v1alpha1.UserSpec{Password: c.given}}, into, nil))
			if c.want == nil {
				require.Nil(t, into.Spec.Password)
			} else {
				require.Equal(t, *c.want, string(*into.Spec.Password))
			}
		})
	}
}

// TestStoring_IntoReusedObject decodes random objects into objects that already have content, as
// the watch cache and retries of an update may do. None of the earlier content may remain.
func TestStoring_IntoReusedObject(t *testing.T) {
	storing, _ := schemes(t)
	codec := serializer.NewCodecFactory(storing).LegacyCodec(v1alpha1.SchemeGroupVersion)
	filler := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, takarofuzzer.Funcs), rand.NewSource(1),
		serializer.NewCodecFactory(storing))
	for _, example := range []runtime.Object{&takaro.Domain{}, &takaro.MockServer{}, &takaro.User{}} {
		for range 200 {
			object, reused := example.DeepCopyObject(), example.DeepCopyObject()
			filler.Fill(object)
			filler.Fill(reused)
			text, err := runtime.Encode(codec, object)
			require.NoError(t, err)
			fresh, err := runtime.Decode(codec, text)
			require.NoError(t, err)
			require.NoError(t, runtime.DecodeInto(codec, text, reused))
			// Conversions leave the type of the internal object alone.
			reused.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
			require.True(t, apiequality.Semantic.DeepEqual(fresh, reused), "%#v became %#v", fresh, reused)
		}
	}
}
