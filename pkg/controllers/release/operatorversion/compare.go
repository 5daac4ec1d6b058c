// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// comparisons caches which digests repositories currently serve for charts that were fetched, and
// what charts were rendered with. It is kept in memory only: after a restart, each chart is
// rendered once more.
type comparisons struct {
	base.Memory[comparison]

	clock  clock.PassiveClock
	period time.Duration
}

type comparison struct {
	// served is the digest of the last comparison, or "" if it is not known.
	served string
	next   time.Time
	lastRender
}

func newComparisons(clock clock.PassiveClock, period time.Duration) *comparisons {
	return &comparisons{clock: clock, period: period}
}

func (c *comparisons) of(a *attempt) (comparison, bool) {
	return c.Recall(a.version.Name, string(a.version.UID))
}

func (c *comparisons) put(a *attempt, now comparison) {
	c.Remember(a.version.Name, string(a.version.UID), now)
}

// first returns the state of a version that this process has not compared yet. The first comparison
// is at a random time within the period, so that not all charts are fetched at the same time after
// a start.
func (c *comparisons) first(a *attempt) comparison {
	return comparison{next: c.clock.Now().Add(time.Duration(rand.Int64N(int64(c.period)))), lastRender: lastRender{values: a.valuesDigest()}}
}

// compare checks once per period whether the repository still serves the chart that was fetched,
// and whether the chart still renders the CRDs that were recorded. It ignores a repository that
// does not respond, or that no longer has the version, because the version was already fetched and
// its Operator reports the problem.
func (r *reconciler) compare(ctx context.Context, a *attempt, own []*schemas.Summary) *base.Blocked {
	last, ok := r.comparisons.of(a)
	told := meta.FindStatusCondition(a.version.Status.Conditions, v1alpha1.ConditionChartFetched)
	isChanged := told != nil && (told.Reason == v1alpha1.ReasonChartDigestChanged || told.Reason == v1alpha1.ReasonChartCRDsChanged)
	now := r.comparisons.clock.Now()
	if !ok {
		last = r.comparisons.first(a)
		if isChanged {
			last.next = now
		}
	}
	due := !now.Before(last.next)
	if due {
		last.next = now.Add(base.Jitter(r.comparisons.period))
		served, err := r.served(ctx, a)
		if err != nil {
			log.FromContext(ctx).Info("Comparing the chart with its repository failed; it is tried again", "error", err.Error())
		} else if served != "" {
			last.served = served
		}
	}
	defer func() { r.comparisons.put(a, last) }()
	a.after = max(last.next.Sub(now), time.Millisecond)
	if last.served != "" && last.served != a.version.Status.ChartDigest {
		return changed(a.version.Status.ChartDigest, last.served)
	}
	blocked := r.rerender(ctx, a, own, &last.lastRender, due)
	if blocked == nil && isChanged && (last.served == "" && told.Reason == v1alpha1.ReasonChartDigestChanged ||
		last.at.IsZero() && told.Reason == v1alpha1.ReasonChartCRDsChanged) { // nothing else is known yet
		return &base.Blocked{Condition: v1alpha1.ConditionChartFetched, Reason: told.Reason, Message: told.Message}
	}
	return blocked
}

func (r *reconciler) served(ctx context.Context, a *attempt) (string, error) {
	repository, _, unusable := r.source.Repository(ctx, a.operator)
	if unusable != nil {
		return "", unusable
	}
	return r.charts.Digest(ctx, repository, a.operator.Spec.Chart.Name, a.version.Spec.ChartVersion)
}

// changed returns the problem that a version is served with different content than before.
func changed(before, now string) *base.Blocked {
	return &base.Blocked{Condition: v1alpha1.ConditionChartFetched, Reason: v1alpha1.ReasonChartDigestChanged, Message: fmt.Sprintf(
		"the repository now serves a chart with digest %s for this version; %s was fetched, and nothing is replaced. Find out who "+
			"changed it; if it is meant, delete this version and make it again", now, before)}
}
