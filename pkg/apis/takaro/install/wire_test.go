// SPDX-License-Identifier: Apache-2.0

package install

import (
	"testing"

	"roadstead.dev/roadstead/pkg/apis/encodingtest"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func TestWire(t *testing.T) {
	encodingtest.RequireWire(t, v1alpha1.SchemeBuilder.AddToScheme, v1alpha1.SchemeGroupVersion,
		"Domain", "MockServer", "TakaroEndpoint", "User")
}
