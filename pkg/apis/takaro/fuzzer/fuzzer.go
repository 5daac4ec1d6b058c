// SPDX-License-Identifier: Apache-2.0

// Package fuzzer fills the kinds of takaro.roadstead.dev with random values for round-trip tests.
package fuzzer

import (
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// Funcs gives filler functions for types in which an empty field would be changed by a default.
var Funcs = func(serializer.CodecFactory) []any {
	return []any{
		func(spec *takaro.DomainSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			policies := []takaro.DeletionPolicy{takaro.DeletionPolicyDelete, takaro.DeletionPolicyDisable, takaro.DeletionPolicyRetain}
			spec.DeletionPolicy = policies[c.Intn(len(policies))]
		},
		func(ref *takaro.SecretKeyReference, c randfill.Continue) {
			c.FillNoCustom(ref)
			if ref.Key == "" {
				ref.Key = "key"
			}
		},
	}
}
