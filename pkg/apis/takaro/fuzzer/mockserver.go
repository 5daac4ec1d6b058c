// SPDX-License-Identifier: Apache-2.0

package fuzzer

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/randfill"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// fillMockServerSpec fills a spec and sets all optional numbers. It does not set resources,
// because a random quantity has several equivalent forms.
func fillMockServerSpec(spec *takaro.MockServerSpec, c randfill.Continue) {
	c.FillNoCustom(spec)
	spec.Resources = corev1.ResourceRequirements{}
	for _, ref := range []*takaro.SecretKeyReference{spec.CredentialsSecretRef, spec.CABundleSecretRef} {
		if ref != nil && ref.Key == "" {
			ref.Key = "key"
		}
	}
	events := &spec.SimulationFrequencies
	for _, field := range []**int32{&events.Chat, &events.Movement, &events.Connection, &events.Death, &events.Kill, &events.Item,
		&spec.TotalPlayers, &spec.PopulationWeekendBoost, &spec.PopulationVariance, &spec.Replicas} {
		fillNil(field, c)
	}
	fillNil(&spec.AutoStart, c)
	if redis := spec.Redis; redis != nil {
		fillNil(&redis.Port, c)
	}
}

func fillNil[T any](field **T, c randfill.Continue) {
	if *field == nil {
		*field = new(T)
		c.Fill(*field)
	}
}
