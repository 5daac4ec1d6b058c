// SPDX-License-Identifier: Apache-2.0

// Package fuzzer fills the kinds of takaro.roadstead.dev with random values for round-trip tests.
package fuzzer

import (
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/randfill"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// Funcs returns the filler functions for types whose empty fields have defaults.
var Funcs = func(serializer.CodecFactory) []any {
	return []any{
		func(spec *takaro.DomainSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			policies := []takaro.DeletionPolicy{takaro.DeletionPolicyDelete, takaro.DeletionPolicyDisable, takaro.DeletionPolicyRetain}
			spec.DeletionPolicy = policies[c.Intn(len(policies))]
		},
		fillMockServerSpec,
		func(redis *takaro.MockServerRedis, c randfill.Continue) {
			c.FillNoCustom(redis)
			fillNil(&redis.Port, c)
			if ref := redis.PasswordSecretRef; ref != nil && ref.Key == "" {
				ref.Key = "key"
			}
		},
		func(spec *takaro.UserSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			policies := []takaro.UserDeletionPolicy{takaro.UserDeletionPolicyDelete, takaro.UserDeletionPolicyRetain}
			spec.DeletionPolicy = policies[c.Intn(len(policies))]
			if spec.DashboardUser == nil {
				spec.DashboardUser = ptr.To(c.Bool())
			}
		},
		func(ref *takaro.SecretKeyReference, c randfill.Continue) {
			c.FillNoCustom(ref)
			if ref.Key == "" {
				ref.Key = "key"
			}
		},
	}
}
