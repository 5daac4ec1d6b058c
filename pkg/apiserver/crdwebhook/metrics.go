// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var (
	requests = metrics.NewCounterVec(&metrics.CounterOpts{
		Namespace: "roadstead", Subsystem: "crdguard", Name: "requests_total",
		Help: "Reviews of CustomResourceDefinitions that kube-apiserver requested, by operation (update, status, delete), decision " +
			"(allowed, allowed-by-annotation, warned, off, denied, cannot-tell; " +
			"without an answer invalid or failed) and verdict of the change.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"operation", "decision", "verdict"})

	duration = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Namespace: "roadstead", Subsystem: "crdguard", Name: "duration_seconds",
		Help:           "Time from the arrival of a review to its answer, by operation; empty without an answer.",
		Buckets:        []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5},
		StabilityLevel: metrics.ALPHA,
	}, []string{"operation"})

	register = sync.OnceFunc(func() { legacyregistry.MustRegister(requests, duration) })
)

// Decisions of reviews that got no answer; the host then goes by its failurePolicy.
const (
	invalid = "invalid"
	failed  = "failed"
)
