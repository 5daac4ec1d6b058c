// SPDX-License-Identifier: Apache-2.0

package counts

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var register = promauto.With(metrics.Registry)

var (
	// Created counts objects that were created in Takaro, by kind.
	Created = register.NewCounterVec(prometheus.CounterOpts{
		Name: "roadstead_takaro_objects_created_total",
		Help: "Objects made in Takaro.",
	}, []string{"kind"})
	// Deleted counts objects that were permanently deleted from Takaro, by kind.
	Deleted = register.NewCounterVec(prometheus.CounterOpts{
		Name: "roadstead_takaro_objects_deleted_total",
		Help: "Objects removed for good from Takaro.",
	}, []string{"kind"})
	// Lost counts objects that are missing in Takaro although Roadstead did not delete them, and
	// are created again, by kind and by whether the credentials are those of the installation or of
	// a tenant; see hold.ScopeInstallation.
	Lost = register.NewCounterVec(prometheus.CounterOpts{
		Name: "roadstead_takaro_objects_lost_total",
		Help: "Objects that vanished from Takaro without a deletion by Roadstead, and are created anew.",
	}, []string{"kind", "scope"})
	// CompareDuration is the duration of the last comparison with the slowest endpoint, by kind.
	CompareDuration = register.NewGaugeVec(prometheus.GaugeOpts{
		Name: "roadstead_takaro_compare_duration_seconds",
		Help: "Duration of the last comparison with the slowest Takaro. It ends after 90 s at the latest.",
	}, []string{"kind"})
)
