// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
)

const (
	// seatWait is the delay before the next attempt while another chart of the namespace is being
	// rendered.
	seatWait = 5 * time.Second
	// sandboxWait is the delay before the next attempt while the sandbox is unavailable.
	sandboxWait = time.Minute
)

// seat is the right to run work in the sandbox. It is a *sandbox.Seat, except in tests.
type seat interface {
	Run(ctx context.Context, handler string, request any, answer sandbox.Answer) ([]json.RawMessage, error)
	Leave()
}

// reservation returns the function that reserves seats in a sandbox.
func reservation(in *sandbox.Sandbox) func(context.Context, string) (seat, error) {
	return func(ctx context.Context, namespace string) (seat, error) {
		found, err := in.Reserve(ctx, namespace)
		if err != nil {
			return nil, err
		}
		return found, nil
	}
}

// isUntried reports whether a chart was not rendered because it had to wait. The result is unknown,
// so the attempt is repeated after RequeueAfter.
func isUntried(blocked *base.Blocked) bool {
	return blocked.RequeueAfter > 0 || blocked.Reason == v1alpha1.ReasonReconciling || blocked.Reason == v1alpha1.ReasonSandboxUnavailable
}

// unrendered returns why a chart was not rendered.
func unrendered(a *attempt, err error) *base.Blocked {
	chart := fmt.Sprintf("chart %s %s", a.operator.Spec.Chart.Name, a.version.Spec.ChartVersion)
	failed, ok := errors.AsType[*sandbox.Error](err)
	if !ok && !errors.Is(err, errForeign) {
		return chartsource.Request("rendering "+chart, err)
	}
	retried := fmt.Sprintf("The controller tries again when Operator %s or its values change.", a.operator.Name)
	says := func(reason, format string, args ...any) *base.Blocked {
		return &base.Blocked{Condition: v1alpha1.ConditionChartFetched, Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	if !ok {
		return says(v1alpha1.ReasonRenderCrashed, "Rendering %s failed: %v. Check where the chart comes from. %s", chart, err, retried)
	}
	switch failed.Kind {
	case sandbox.KindRefused:
		return at(v1alpha1.ConditionChartFetched, a.values.Redact(chartsource.Classify(refusedChart(failed), v1alpha1.ReasonChartInvalid)))
	case sandbox.KindTooLarge:
		return says(v1alpha1.ReasonRenderTooLarge, "Rendering %s was stopped: %v. Split the chart, or reduce its CustomResourceDefinitions. %s",
			chart, failed, retried)
	case sandbox.KindTooSlow:
		return says(v1alpha1.ReasonRenderTooSlow,
			"Rendering %s was stopped: %v. Find the template that repeats itself, and correct the chart or the values. %s", chart, failed, retried)
	case sandbox.KindOutOfMemory:
		return says(v1alpha1.ReasonRenderOutOfMemory,
			"Rendering %s was stopped: %v. Find the template that repeats text, and correct the chart or the values. %s", chart, failed, retried)
	case sandbox.KindBusy:
		return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonReconciling, RequeueAfter: seatWait,
			Message: fmt.Sprintf("Another chart for namespace %s is being rendered. One is rendered at a time.", a.operator.Spec.Namespace)}
	case sandbox.KindUnavailable:
		blocked := says(v1alpha1.ReasonSandboxUnavailable,
			"The controller cannot confine the process that renders charts, so it renders none: %v. An administrator must correct "+
				"the node or the security settings of the controller's pod. The controller tries again each minute.", failed)
		blocked.RequeueAfter = sandboxWait
		return blocked
	}
	return says(v1alpha1.ReasonRenderCrashed, "Rendering %s failed: %v. The log of the controller has the output of the process. %s",
		chart, failed, retried)
}

// unrenderableKey returns a key of everything that a chart is rendered with. It includes the
// generation of the Operator, so that any change of its spec causes another attempt.
func unrenderableKey(a *attempt, digest string) string {
	return fmt.Sprintf("%s %s %s/%d %s", a.version.UID, digest, a.operator.UID, a.operator.Generation, a.valuesDigest())
}
