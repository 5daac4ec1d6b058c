// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// rerenderWait is the minimum time between two renderings of one version, unless comparisons are
// more frequent. Without it, a user who repeatedly changes the values of an Operator would occupy
// the workers of all Operators.
const rerenderWait = time.Minute

// lastRender is what this process knows of the last rendering of a chart.
type lastRender struct {
	// values is the digest of the values. It is set without a rendering when the process first
	// reconciles the version.
	values string
	// at is the time of the rendering. It is zero until the process has rendered the chart.
	at time.Time
	// differs describes which CRDs differ from the recorded ones, or is empty.
	differs string
	// blocked is why the chart could not be rendered with changed values, or nil if it could.
	blocked *base.Blocked
}

// valuesDigest returns the digest of the values, or "" if they cannot be read.
func (a *attempt) valuesDigest() string {
	if a.values == nil {
		return ""
	}
	return a.values.Digest()
}

// rendered records that the chart was rendered with the values of an attempt, and that the CRDs
// match the recorded ones.
func (c *comparisons) rendered(a *attempt) {
	last, ok := c.of(a)
	if !ok {
		last = c.first(a)
	}
	last.lastRender = lastRender{values: a.valuesDigest(), at: c.clock.Now()}
	c.put(a, last)
}

// rerender renders the chart again when the values changed, and once after a start when a
// comparison is due. A version is bound to the CRDs that were recorded and judged, so different
// values must not change its content. A chart that cannot be rendered after a start is ignored. A
// chart that cannot be rendered with changed values is a problem, because the effect of these
// values is unknown.
func (r *reconciler) rerender(ctx context.Context, a *attempt, own []*schemas.Summary, last *lastRender, due bool) *base.Blocked {
	now, values := r.clock.Now(), a.valuesDigest()
	changed := values != "" && last.values != "" && values != last.values
	again := last.blocked != nil && last.blocked.Err != nil
	wait := last.at.Add(min(rerenderWait, r.comparisons.period)).Sub(now)
	switch {
	case changed && !last.at.IsZero() && wait > 0:
		return &base.Blocked{Condition: v1alpha1.ConditionChartFetched, Unknown: true, Reason: v1alpha1.ReasonReconciling, RequeueAfter: wait,
			Message: fmt.Sprintf("The values of Operator %s changed again. The chart is rendered with them within a minute.", a.operator.Name)}
	case again && !changed && wait > 0:
		told := *last.blocked
		told.Err, told.RequeueAfter = nil, wait
		return &told
	case changed || again || due && last.at.IsZero():
		rendered, _, _, blocked := r.definitions(ctx, a)
		switch {
		case blocked == nil:
			*last = lastRender{values: values, at: now, differs: drift(a, own, rendered)}
		case isUntried(blocked) && (changed || again):
			return blocked
		case changed || again:
			*last = lastRender{values: values, at: now, blocked: blocked}
		default:
			log.FromContext(ctx).Info("Rendering the chart again failed; the next comparison tries again",
				"reason", blocked.Reason, "message", blocked.Message)
		}
	}
	if last.differs != "" {
		return drifted(a, last.differs)
	}
	return last.blocked
}

// drift describes which CRDs of a rendering differ from the recorded ones, or returns "" if none
// does. A CRD is bound to its record once the controller has created its CRDSchema, and all CRDs
// are once the version is complete or accepted. Until then, different values may still change what
// is created.
func drift(a *attempt, own []*schemas.Summary, rendered []renderedCRD) string {
	status := &a.version.Status
	if status.ChartDigest == "" {
		return ""
	}
	lacking := missing(a.version, own)
	closed := schemas.MayRollOut(a.version) || len(lacking) == 0
	now := map[string]string{}
	for _, one := range rendered {
		now[one.name] = one.digest
	}
	var parts []string
	for _, before := range status.CRDs {
		digest, there := now[before.Name]
		delete(now, before.Name)
		switch bound := closed || !slices.Contains(lacking, before.Name); {
		case !bound:
		case !there:
			parts = append(parts, "removed "+before.Name)
		case before.Digest != "" && digest != before.Digest:
			parts = append(parts, "changed "+before.Name)
		}
	}
	for _, one := range rendered {
		if _, added := now[one.name]; added && closed {
			parts = append(parts, "added "+one.name)
		}
	}
	return some(parts)
}

// drifted returns the problem that the chart renders CRDs that differ from the recorded ones.
func drifted(a *attempt, differs string) *base.Blocked {
	return &base.Blocked{Condition: v1alpha1.ConditionChartFetched, Reason: v1alpha1.ReasonChartCRDsChanged, Message: strings.Join([]string{
		fmt.Sprintf("The chart no longer renders the CustomResourceDefinitions that were recorded for this version: %s.", differs),
		fmt.Sprintf("The values of Operator %s changed, or --chart-kube-version of the controller.", a.operator.Name),
		"Restore them, create a new version, or delete this one and create it again.",
	}, " ")}
}
