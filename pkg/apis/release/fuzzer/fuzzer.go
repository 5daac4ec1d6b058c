// SPDX-License-Identifier: Apache-2.0

// Package fuzzer fills the kinds of release.roadstead.dev with random values for round-trip tests.
package fuzzer

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// Funcs returns the filler functions for types whose empty fields have defaults, or whose values
// are restricted.
var Funcs = func(serializer.CodecFactory) []any {
	return []any{
		fillOperatorSpec,
		fillReviewSpec,
		func(spec *release.OperatorVersionSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			if spec.ChartVersion == "" {
				spec.ChartVersion = spec.Version
			}
			spec.CRDSource = oneOf(c, release.CRDSourceChart, release.CRDSourceManual)
		},
		func(spec *release.CRDSchemaSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			spec.Definition = anyObject(c)
		},
		func(spec *release.CRDSnapshotSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			spec.Definition = anyObject(c)
		},
		func(spec *release.ApprovalSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			if spec.ExpiresAfter == nil {
				spec.ExpiresAfter = &metav1.Duration{Duration: time.Duration(c.Int63n(int64(time.Hour)))}
			}
		},
	}
}

func fillOperatorSpec(spec *release.OperatorSpec, c randfill.Continue) {
	c.FillNoCustom(spec)
	if spec.Chart.Discover == "" {
		spec.Chart.Discover = release.DiscoverAll
	}
	spec.Values, spec.EnvironmentValues = nil, nil
	if c.Bool() {
		values := anyObject(c)
		spec.Values = &values
		spec.EnvironmentValues = map[string]runtime.RawExtension{"Staging": anyObject(c)}
	}
	for i := range spec.ValuesFrom {
		if ref := spec.ValuesFrom[i].SecretRef; ref != nil && ref.Key == "" {
			ref.Key = "key"
		}
	}
	spec.CRDPolicy.Breaking = oneOf(c, release.BreakingDeny, release.BreakingRequireApproval, release.BreakingWarn)
	if spec.VersionHistoryLimit == nil {
		spec.VersionHistoryLimit = new(int32)
		c.Fill(spec.VersionHistoryLimit)
	}
}

func fillReviewSpec(spec *release.CompatibilityReviewSpec, c randfill.Continue) {
	c.FillNoCustom(spec)
	spec.New, spec.Old = anyObject(c), nil
	if c.Bool() {
		old := anyObject(c)
		spec.Old = &old
	}
	spec.Policy = oneOf(c, release.BreakingDeny, release.BreakingRequireApproval, release.BreakingWarn)
}

// anyObject returns a random JSON object, as clients send it in fields without a schema.
func anyObject(c randfill.Continue) runtime.RawExtension {
	return runtime.RawExtension{Raw: fmt.Appendf(nil, `{"text":"%x","list":[%d,true,null]}`, c.Uint64(), c.Int31())}
}

func oneOf[T any](c randfill.Continue, values ...T) T { return values[c.Intn(len(values))] }
