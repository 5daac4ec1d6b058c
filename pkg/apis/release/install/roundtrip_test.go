// SPDX-License-Identifier: Apache-2.0

package install

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"

	"roadstead.dev/roadstead/pkg/apis/release/fuzzer"
)

// TestRoundTrip fills every kind with random values, and verifies that each conversion and
// encoding preserves them: hub to version and back, JSON, YAML, protobuf.
func TestRoundTrip(t *testing.T) {
	roundtrip.RoundTripTestForAPIGroup(t, Install, fuzzer.Funcs)
	roundtrip.RoundTripProtobufTestForAPIGroup(t, Install, fuzzer.Funcs)
}
