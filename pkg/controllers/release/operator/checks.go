// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
)

// A failing repository is queried again after a second, then after twice the previous delay, up to
// five minutes.
const minBackoff, maxBackoff = time.Second, 5 * time.Minute

// check is the result of a query of a repository.
type check struct {
	versions []string
	problem  *base.Blocked
	failures int
	next     time.Time
	// refused contains the names of OperatorVersions that the API server rejected.
	refused map[string]bool
}

// checks caches the last query of each Operator's repository, so that other events do not query it
// again.
type checks struct {
	base.Memory[*check]

	clock clock.PassiveClock
	// period is the time between queries of a repository that responds.
	period time.Duration
}

func newChecks(clock clock.PassiveClock, period time.Duration) *checks {
	return &checks{clock: clock, period: period}
}

// look queries an Operator's repository for the versions of its chart, unless it was queried
// recently. A problem with a Secret is not cached: the next change of the Secret wakes the
// Operator.
func (r *reconciler) look(ctx context.Context, operator *v1alpha1.Operator) *check {
	repository, revision, problem := r.source.Repository(ctx, operator)
	if problem != nil {
		return &check{problem: problem}
	}
	// The key contains everything that the query depends on.
	key := fmt.Sprintf("%s/%d/%s", operator.UID, operator.Generation, revision)
	last, known := r.checks.Recall(operator.Name, key)
	if known && r.checks.clock.Now().Before(last.next) {
		return last
	}
	now := &check{refused: map[string]bool{}}
	var err error
	now.versions, err = r.charts.Versions(ctx, repository, operator.Spec.Chart.Name)
	wait := base.Jitter(r.checks.period)
	if err != nil {
		now.problem = chartsource.Classify(err, v1alpha1.ReasonRepositoryInvalid)
		if ctx.Err() != nil {
			return now // the process ends; the result is unknown
		}
		if known {
			now.failures = last.failures
		}
		now.failures++
		wait = max(base.Jitter(backoff(now.failures)), now.problem.RequeueAfter)
	}
	now.next = r.checks.clock.Now().Add(wait)
	r.checks.Remember(operator.Name, key, now)
	return now
}

// backoff returns the delay after the given number of consecutive failures.
func backoff(failures int) time.Duration {
	wait := minBackoff
	for n := 1; n < failures && wait < maxBackoff; n++ {
		wait *= 2
	}
	return min(wait, maxBackoff)
}
