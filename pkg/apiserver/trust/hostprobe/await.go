// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"context"
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// Patience says how Await waits.
type Patience struct {
	// Answer is how long kube-apiserver may not answer: it starts at the same time, or its network is not there yet.
	Answer time.Duration
	// Every is the first pause between two attempts. While rights are missing it doubles up to Longest.
	Every, Longest time.Duration
	// Report is the time between two reports in the log of what is missing.
	Report time.Duration
}

// DefaultPatience waits for an answer for less time than the startup probe of the shipped manifests allows.
var DefaultPatience = Patience{Answer: time.Minute, Every: time.Second, Longest: 10 * time.Second, Report: 30 * time.Second}

// Await probes the cluster until it has answered and grants every right that needs name, however long that takes: of manifests
// that are applied together the ClusterRole may come last, and a server that went on without a right would not enforce the
// policies, webhooks or quotas of the cluster until somebody noticed. It returns the parts that the cluster does not serve,
// which must stay off; each is in the log and in the metric. It is an error if an essential part is not served, and if the
// cluster does not answer.
func Await(ctx context.Context, client kubernetes.Interface, needs []Need, patience Patience) ([]Missing, error) {
	pauses := wait.Backoff{Duration: patience.Every, Factor: 2, Cap: patience.Longest, Steps: math.MaxInt32}
	var reported time.Time
	for {
		facts, err := awaitAnswer(ctx, client, needs, patience)
		if err != nil {
			return nil, err
		}
		missing := Decide(needs, facts)
		unserved, denied := split(missing)
		show(needs, denied)
		if err := Err(missing); err != nil {
			return nil, err
		}
		if len(denied) == 0 {
			drop(ctx, unserved, facts.Version)
			return unserved, nil
		}
		if reported.IsZero() || time.Since(reported) >= patience.Report {
			reported = time.Now()
			for _, m := range denied {
				klog.FromContext(ctx).Error(nil, "The server does not start yet: "+m.Message(), "part", m.Part, "missing", m.What)
			}
		}
		if err := pause(ctx, pauses.Step()); err != nil {
			return nil, err
		}
	}
}

// drop reports the parts that are off.
func drop(ctx context.Context, unserved []Missing, version string) {
	for _, m := range unserved {
		dropped.WithLabelValues(m.Part, m.Reason).Set(1)
		klog.FromContext(ctx).Error(nil, m.Message(), "plugin", m.Part, "reason", m.Reason, "missing", m.What, "hostVersion", version)
	}
}

// awaitAnswer repeats the probe until the cluster answers it.
func awaitAnswer(ctx context.Context, client kubernetes.Interface, needs []Need, patience Patience) (Facts, error) {
	begin := time.Now()
	for {
		facts, err := probe(ctx, client, needs)
		if err == nil {
			return facts, nil
		}
		if time.Since(begin) >= patience.Answer {
			return Facts{}, fmt.Errorf("host cluster: no answer within %s: %w: is --kubeconfig right, and may this pod reach the API server "+
				"(network policy)?", patience.Answer, err)
		}
		klog.FromContext(ctx).Info("The host cluster does not answer; trying again", "err", err, "giveUpAfter", patience.Answer)
		if err := pause(ctx, patience.Every); err != nil {
			return Facts{}, err
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
