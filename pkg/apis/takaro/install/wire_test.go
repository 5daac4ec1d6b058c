// SPDX-License-Identifier: Apache-2.0

package install

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// TestWire compares the encoding of a full object with the files in testdata/wire, so that an upgrade reads what an older
// version wrote. With UPDATE_COMPATIBILITY_FIXTURE_DATA=true in the environment they are written anew, which only a change
// of the API may need.
func TestWire(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.SchemeBuilder.AddToScheme(scheme))
	options := roundtrip.NewCompatibilityTestOptions(scheme)
	options.TestDataDir = filepath.Join("..", "testdata")
	options.TestDataDirCurrentVersion = filepath.Join(options.TestDataDir, "wire")
	for _, kind := range []string{"Domain", "MockServer", "TakaroEndpoint", "User"} {
		options.Kinds = append(options.Kinds, v1alpha1.SchemeGroupVersion.WithKind(kind))
	}
	options.Complete(t).Run(t)
}
