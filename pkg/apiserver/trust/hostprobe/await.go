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

// Patience contains the times that Await waits.
type Patience struct {
	// Answer is the maximum time without a response of kube-apiserver, which may start at the same
	// time, or whose network may not be available yet.
	Answer time.Duration
	// Every is the first delay between two attempts. While permissions are missing, it doubles up
	// to Longest.
	Every, Longest time.Duration
	// Report is the time between two log messages about what is missing.
	Report time.Duration
}

// DefaultPatience waits for a response for a shorter time than the startup probe of the shipped
// manifests.
var DefaultPatience = Patience{Answer: time.Minute, Every: time.Second, Longest: 10 * time.Second, Report: 30 * time.Second}

// Await probes the cluster until it has responded and grants every permission in needs, without a
// time limit: of manifests that are applied together the ClusterRole may be the last, and a server
// without a permission would not enforce the policies, webhooks or quotas of the cluster. It
// returns the parts that the cluster does not serve, which must be disabled; each is logged and in
// the metric. It returns an error if an essential part is not served, or if the cluster does not
// respond.
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

// drop reports the disabled parts.
func drop(ctx context.Context, unserved []Missing, version string) {
	for _, m := range unserved {
		dropped.WithLabelValues(m.Part, m.Reason).Set(1)
		klog.FromContext(ctx).Error(nil, m.Message(), "plugin", m.Part, "reason", m.Reason, "missing", m.What, "hostVersion", version)
	}
}

// awaitAnswer repeats the probe until the cluster responds.
func awaitAnswer(ctx context.Context, client kubernetes.Interface, needs []Need, patience Patience) (Facts, error) {
	begin := time.Now()
	for {
		facts, err := probe(ctx, client, needs)
		if err == nil {
			return facts, nil
		}
		if time.Since(begin) >= patience.Answer {
			return Facts{}, fmt.Errorf("no response of kube-apiserver within %s: %w: check --kubeconfig, and check that this pod "+
				"can reach kube-apiserver (network policies)", patience.Answer, err)
		}
		klog.FromContext(ctx).Info("kube-apiserver does not respond; trying again", "err", err, "giveUpAfter", patience.Answer)
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
