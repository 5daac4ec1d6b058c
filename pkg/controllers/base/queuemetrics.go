// SPDX-License-Identifier: Apache-2.0

package base

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// queueMetrics provides the metrics that controller-runtime has for its own queues. It must be set
// explicitly: where k8s.io/apiserver is linked, client-go's default provider is that of
// k8s.io/component-base, whose metrics the controller does not serve.
type queueMetrics struct{}

var _ workqueue.MetricsProvider = queueMetrics{}

// byQueue lists the labels of all metrics except the depth, which also has a priority.
var byQueue = []string{"name", "controller"}

var (
	queueDepth = registered(prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: metrics.DepthKey, Help: "Current depth of workqueue by workqueue and priority",
	}, append(byQueue, "priority")))
	queueAdds = registered(prometheus.NewCounterVec(prometheus.CounterOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: metrics.AddsKey, Help: "Total number of adds handled by workqueue",
	}, byQueue))
	queueLatency = registered(prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: metrics.QueueLatencyKey,
		Help: "How long in seconds an item stays in workqueue before being requested",
	}, byQueue))
	queueWork = registered(prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: metrics.WorkDurationKey,
		Help: "How long in seconds processing an item from workqueue takes.",
	}, byQueue))
	queueUnfinished = registered(prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: metrics.UnfinishedWorkKey,
		Help: "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large values " +
			"indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
	}, byQueue))
	queueLongest = registered(prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: metrics.LongestRunningProcessorKey,
		Help: "How many seconds has the longest running processor for workqueue been running.",
	}, byQueue))
	queueRetries = registered(prometheus.NewCounterVec(prometheus.CounterOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: metrics.RetriesKey,
		Help: "Total number of items added to the workqueue with a non-zero delay (rate-limited requeues, explicit RequeueAfter or " +
			"AddAfter calls)",
	}, byQueue))
)

// registered returns the registered collector with the name, help and labels of the given one.
// controller-runtime registers its own collectors but does not export them. registered panics if
// they differ, for example after an upgrade of controller-runtime.
func registered[C prometheus.Collector](collector C) C {
	err := metrics.Registry.Register(collector)
	if known := (prometheus.AlreadyRegisteredError{}); errors.As(err, &known) {
		return known.ExistingCollector.(C)
	}
	utilruntime.Must(err)
	return collector
}

func (queueMetrics) NewDepthMetric(name string) workqueue.GaugeMetric {
	return queueDepth.WithLabelValues(name, name, "")
}

func (queueMetrics) NewAddsMetric(name string) workqueue.CounterMetric {
	return queueAdds.WithLabelValues(name, name)
}

func (queueMetrics) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return queueLatency.WithLabelValues(name, name)
}

func (queueMetrics) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return queueWork.WithLabelValues(name, name)
}

func (queueMetrics) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return queueUnfinished.WithLabelValues(name, name)
}

func (queueMetrics) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return queueLongest.WithLabelValues(name, name)
}

func (queueMetrics) NewRetriesMetric(name string) workqueue.CounterMetric {
	return queueRetries.WithLabelValues(name, name)
}
