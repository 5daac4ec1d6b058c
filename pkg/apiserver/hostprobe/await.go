// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"
)

// Patience says how long Await waits.
type Patience struct {
	// Answer is for a host that does not answer: it starts at the same time, or its network is not there yet.
	Answer time.Duration
	// Rights is for rights that are missing: of manifests that are applied together the ClusterRole may come last.
	Rights time.Duration
	// Every is the pause between two attempts.
	Every time.Duration
}

// DefaultPatience ends before the shipped manifests have the pod restarted.
var DefaultPatience = Patience{Answer: time.Minute, Rights: 10 * time.Second, Every: time.Second}

var dropped = metrics.NewGaugeVec(&metrics.GaugeOpts{
	Name:           "roadstead_admission_plugin_dropped",
	Help:           "1 for each admission plugin (and PriorityAndFairness) that is off because the host cluster does not serve what it needs (NotServed) or this server has no right to it (Forbidden).",
	StabilityLevel: metrics.ALPHA,
}, []string{"plugin", "reason"})

func init() { legacyregistry.MustRegister(dropped) }

// Await probes the host until it has answered and all that needs ask for is there, or patience is over. It returns the
// parts that must stay off; each is in the log and in the metric. Missing essential parts are an error, and so is a host
// that does not answer.
func Await(ctx context.Context, client kubernetes.Interface, needs []Need, patience Patience) ([]Missing, error) {
	facts, err := awaitAnswer(ctx, client, needs, patience)
	if err != nil {
		return nil, err
	}
	missing := Decide(needs, facts)
	if slices.ContainsFunc(missing, func(m Missing) bool { return m.Reason == Forbidden }) {
		klog.FromContext(ctx).Info("Rights in the host cluster are missing; waiting for them", "atMost", patience.Rights, "missing", whats(missing))
		if facts, err = awaitRights(ctx, client, needs, patience); err != nil {
			return nil, err
		}
		missing = Decide(needs, facts)
	}
	for _, m := range missing {
		if !m.Essential {
			dropped.WithLabelValues(m.Part, m.Reason).Set(1)
			klog.FromContext(ctx).Error(nil, m.Message(), "plugin", m.Part, "reason", m.Reason, "missing", m.What, "hostVersion", facts.Version)
		}
	}
	return missing, Err(missing)
}

// awaitAnswer repeats the probe until the host answers it.
func awaitAnswer(ctx context.Context, client kubernetes.Interface, needs []Need, patience Patience) (Facts, error) {
	begin := time.Now()
	for {
		facts, err := probe(ctx, client, needs)
		if err == nil {
			return facts, nil
		}
		if time.Since(begin) >= patience.Answer {
			return Facts{}, fmt.Errorf("host cluster: no answer within %s: %w: is --kubeconfig right, and may this pod reach the API server (network policy)?", patience.Answer, err)
		}
		klog.FromContext(ctx).Info("The host cluster does not answer; trying again", "err", err, "giveUpAfter", patience.Answer)
		if err := pause(ctx, patience.Every); err != nil {
			return Facts{}, err
		}
	}
}

// awaitRights repeats the probe until no right is missing, and gives what the last one found.
func awaitRights(ctx context.Context, client kubernetes.Interface, needs []Need, patience Patience) (Facts, error) {
	for begin := time.Now(); ; {
		if err := pause(ctx, patience.Every); err != nil {
			return Facts{}, err
		}
		facts, err := awaitAnswer(ctx, client, needs, patience)
		if err != nil || facts.Denied.Len() == 0 || time.Since(begin) >= patience.Rights {
			return facts, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

func whats(missing []Missing) []string {
	all := make([]string, 0, len(missing))
	for _, m := range missing {
		all = append(all, m.Part+": "+m.What)
	}
	return all
}
