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

// A repository that fails is asked again after a second, then after twice as long each time, up to five minutes.
const minBackoff, maxBackoff = time.Second, 5 * time.Minute

// check is what a look at a repository found.
type check struct {
	versions []string
	problem  *base.Blocked
	failures int
	next     time.Time
	// refused are names of OperatorVersions that the API server did not take.
	refused map[string]bool
}

// checks remembers the last look at each Operator's repository, so that other events do not ask it again.
type checks struct {
	base.Memory[*check]

	clock clock.PassiveClock
	// period is between looks at a repository that answers.
	period time.Duration
}

func newChecks(clock clock.PassiveClock, period time.Duration) *checks {
	return &checks{clock: clock, period: period}
}

// look asks an Operator's repository for the versions of its chart, unless it was asked a short while ago. What is wrong
// with a Secret is not remembered: the Secret's next change wakes the Operator.
func (r *reconciler) look(ctx context.Context, operator *v1alpha1.Operator) *check {
	repository, revision, problem := r.source.Repository(ctx, operator)
	if problem != nil {
		return &check{problem: problem}
	}
	// The key changes with everything that the look depends on.
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
			return now // the process ends; nothing was learnt
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

// backoff is the wait after so many failures in a row.
func backoff(failures int) time.Duration {
	wait := minBackoff
	for n := 1; n < failures && wait < maxBackoff; n++ {
		wait *= 2
	}
	return min(wait, maxBackoff)
}
