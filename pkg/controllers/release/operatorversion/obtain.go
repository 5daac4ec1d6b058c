// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
)

const (
	// longestWait is the maximum time that a version waits for lower ones: a chart that is
	// unavailable must not delay all others.
	longestWait = 5 * time.Minute
	// waitStep is the delay between checks of the lower versions. A change of their status also
	// wakes the version.
	waitStep = 15 * time.Second
	// deletionWait is the delay between checks whether a CRDSchema that is being deleted still
	// exists.
	deletionWait = 2 * time.Second
)

// outcome is the result of fetching a chart.
type outcome struct {
	found   []*schemas.Summary
	refused refusalList
	varies  []v1alpha1.Finding
}

// obtain fetches the chart and creates the missing CRDSchemas. If it returns no outcome, no
// CRDSchema was created.
//
// The order matters: the digests of the chart and of its CRDs are recorded first. If the process
// ends afterwards, the next attempt knows what is missing and creates it from the same chart or not
// at all.
func (r *reconciler) obtain(ctx context.Context, a *attempt, found []*schemas.Summary) (*outcome, *base.Blocked) {
	if blocked := r.await(a); blocked != nil {
		return nil, blocked
	}
	definitions, varies, digest, blocked := r.definitions(ctx, a)
	if blocked != nil {
		return nil, blocked
	}
	status := &a.version.Status
	if differs := drift(a, found, definitions); differs != "" {
		return nil, drifted(a, differs)
	}
	if status.ChartDigest == "" {
		r.Note(a.version, eventChartFetched, "chart %s %s was fetched: %s", a.operator.Spec.Chart.Name, a.version.Spec.ChartVersion, digest)
	}
	status.ChartDigest = digest
	plan(status, outline(definitions))
	setFetched(a.version)
	// Digests that are already recorded are not recorded again: Ready would change whenever a
	// controller starts.
	recorded := a.stored.Status.ChartDigest == digest && apiequality.Semantic.DeepEqual(a.stored.Status.CRDs, status.CRDs)
	if !recorded && len(missing(a.version, found)) > 0 {
		statusKind.Reconciling(a.version, "the CRDSchemas are being made")
		if err := r.write(ctx, a); err != nil {
			return nil, chartsource.Request("recording the chart's digest", err)
		}
	}
	made := &outcome{found: slices.Clone(found), varies: varies}
	for _, one := range definitions {
		if slices.ContainsFunc(found, func(schema *schemas.Summary) bool { return schema.Name == schemas.NameOf(a.version.Name, one.name) }) {
			continue
		}
		schema, denied := r.create(ctx, a, one)
		if denied != nil {
			made.refused = append(made.refused, *denied)
			continue
		}
		made.found = append(made.found, schema)
	}
	r.refusals.Remember(a.version.Name, refusalKey(a), made.refused.lasting())
	r.comparisons.rendered(a)
	return made, nil
}

// await waits for lower versions, because their CRDSchemas are the baselines of this version.
func (r *reconciler) await(a *attempt) *base.Blocked {
	if a.version.Status.ChartDigest != "" || r.clock.Since(a.version.CreationTimestamp.Time) > longestWait {
		return nil
	}
	other := ahead(a.version, a.siblings)
	if other == "" {
		return nil
	}
	return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonReconciling, RequeueAfter: waitStep,
		Message: fmt.Sprintf("OperatorVersion %s comes first: the definitions are compared with its own", other)}
}

// definitions fetches and renders the chart.
func (r *reconciler) definitions(ctx context.Context, a *attempt) ([]renderedCRD, []v1alpha1.Finding, string, *base.Blocked) {
	fail := func(blocked *base.Blocked) ([]renderedCRD, []v1alpha1.Finding, string, *base.Blocked) {
		return nil, nil, "", blocked
	}
	from, _, unusable := r.source.Repository(ctx, a.operator)
	if unusable != nil {
		return fail(at(v1alpha1.ConditionChartFetched, unusable))
	}
	if a.unusable != nil {
		return fail(at(v1alpha1.ConditionChartFetched, a.unusable))
	}
	// The seat is reserved before the chart is fetched, so that a namespace holds one chart in
	// memory and not one per worker.
	seat, err := r.reserve(ctx, a.operator.Spec.Namespace)
	if err != nil {
		return fail(unrendered(a, err))
	}
	defer seat.Leave()
	archive, err := r.charts.Fetch(ctx, from, a.operator.Spec.Chart.Name, a.version.Spec.ChartVersion)
	if err != nil {
		return fail(at(v1alpha1.ConditionChartFetched, chartsource.Classify(err, v1alpha1.ReasonChartInvalid)))
	}
	if before := a.version.Status.ChartDigest; before != "" && before != archive.Digest {
		return fail(changed(before, archive.Digest))
	}
	key := unrenderableKey(a, archive.Digest)
	if known, ok := r.unrenderable.Recall(a.version.Name, key); ok {
		return fail(known)
	}
	crds, findings, err := r.render(ctx, seat, archive, a)
	if err != nil {
		blocked := unrendered(a, err)
		if !isUntried(blocked) && blocked.Err == nil {
			r.unrenderable.Remember(a.version.Name, key, blocked)
		}
		return fail(blocked)
	}
	if blocked := tooMany(len(crds)); blocked != nil {
		return fail(blocked)
	}
	return crds, findings, archive.Digest, nil
}

// render renders the chart in a child process, with the values for all environments and then with
// those of each environment.
func (r *reconciler) render(ctx context.Context, seat seat, archive *repository.Archive, a *attempt) ([]renderedCRD,
	[]v1alpha1.Finding, error) {
	objects, err := seat.Run(ctx, ChartHandler, r.chartRequestOf(archive, a), nil)
	if err != nil {
		return nil, nil, err
	}
	return crdsOf(objects)
}

// tooMany returns the problem that a version exceeds the maximum number of CRDs.
func tooMany(definitions int) *base.Blocked {
	if definitions <= v1alpha1.MaxCRDs {
		return nil
	}
	return &base.Blocked{Condition: v1alpha1.ConditionCRDsCompatible, Reason: v1alpha1.ReasonTooManyCRDs,
		Message: fmt.Sprintf("the version has %s, and it may have %d: split it", counted(definitions), v1alpha1.MaxCRDs)}
}
