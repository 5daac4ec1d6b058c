// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// redisProbePeriod is the time between two probes of the shared Redis.
const redisProbePeriod = 30 * time.Second

var (
	redisUp = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "roadstead_shared_redis_up",
		Help: "1 while the installation's Redis accepts the controller's login, otherwise 0. Missing without such a Redis.",
	}, nil)
	redisUsed = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "roadstead_shared_redis_memory_used_bytes",
		Help: "Memory that the installation's Redis uses. Missing while it is unknown.",
	}, nil)
	redisMaximum = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "roadstead_shared_redis_memory_max_bytes",
		Help: "Memory that the installation's Redis may use (maxmemory); at that size it refuses to store anything. Missing without a limit.",
	}, nil)
)

func init() { metrics.Registry.MustRegister(redisUp, redisUsed, redisMaximum) }

// redisWatch probes the installation's Redis, and publishes the result as metrics.
type redisWatch struct{ *reconciler }

var (
	_ manager.Runnable               = redisWatch{}
	_ manager.LeaderElectionRunnable = redisWatch{}
)

// NeedLeaderElection implements manager.LeaderElectionRunnable. Only the leader probes, because
// only the leader uses Redis.
func (redisWatch) NeedLeaderElection() bool { return true }

// Start probes until ctx is canceled.
func (w redisWatch) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, w.probe, redisProbePeriod)
	return nil
}

// probe queries the memory usage of Redis, which is cheap regardless of the number of keys.
func (w redisWatch) probe(ctx context.Context) {
	target, blocked := w.sharedRedis(ctx)
	if blocked != nil {
		if blocked.Reason == v1alpha1.ReasonRedisNotConfigured {
			publishRedis(nil, nil)
		}
		return // the Secret cannot be read, which is no evidence about Redis
	}
	var memory map[string]string
	err := w.redis.with(ctx, target, func(ctx context.Context, client *redis.Client) error {
		info, err := client.InfoMap(ctx, "memory").Result()
		memory = info["Memory"]
		return err
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		log.FromContext(ctx).Error(err, "The shared Redis does not answer")
	}
	up := err == nil
	publishRedis(&up, memory)
}

// publishRedis sets the metrics. up is nil if there is no Redis.
func publishRedis(up *bool, memory map[string]string) {
	for _, gauge := range []*prometheus.GaugeVec{redisUp, redisUsed, redisMaximum} {
		gauge.Reset()
	}
	if up == nil {
		return
	}
	redisUp.WithLabelValues().Set(0)
	if *up {
		redisUp.WithLabelValues().Set(1)
	}
	for field, gauge := range map[string]*prometheus.GaugeVec{"used_memory": redisUsed, "maxmemory": redisMaximum} {
		if value, err := strconv.ParseFloat(memory[field], 64); err == nil && value > 0 {
			gauge.WithLabelValues().Set(value)
		}
	}
}
