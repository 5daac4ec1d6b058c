// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
)

// TestMain runs this test binary as the child process of its own sandbox.
func TestMain(m *testing.M) {
	sandbox.Main(os.Args, map[string]sandbox.Handler{
		ChartHandler: RenderChart,
		"other":      func(context.Context, json.RawMessage, sandbox.Lookup) ([]any, error) { return []any{"no CRD"}, nil },
	})
	os.Exit(m.Run())
}

// renderer renders the charts of a world. It is also a seat, which renders in this process and uses
// the same encoding as a child process.
type renderer struct {
	// reserve returns the seats of controllers: this renderer, unless a test has a sandbox.
	reserve func(context.Context, string) (seat, error)
	renders int // how often a chart was rendered here
}

func (r *renderer) here(context.Context, string) (seat, error) { return r, nil }

// Leave does nothing.
func (r *renderer) Leave() {}

// Run implements seat.
func (r *renderer) Run(ctx context.Context, _ string, request any, _ sandbox.Answer) ([]json.RawMessage, error) {
	r.renders++
	encoded, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	objects, err := RenderChart(ctx, encoded, nil)
	if refusal, ok := errors.AsType[*sandbox.Refusal](err); ok {
		return nil, &sandbox.Error{Kind: sandbox.KindRefused, Code: refusal.Code, Message: refusal.Text}
	}
	if err != nil {
		return nil, err
	}
	var all []json.RawMessage
	for _, object := range objects {
		content, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		all = append(all, content)
	}
	return all, nil
}

// children is the sandbox of all tests. Its timeout is long enough for a heavily loaded machine to
// render a chart.
var children = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	in := sandbox.New(sandbox.Options{Timeout: 15 * time.Second, Sample: RenderSample})
	return in, in.Test(context.Background())
})

// inChild configures the controllers of a world to render in child processes.
func (w *world) inChild() {
	w.Helper()
	in, err := children()
	require.NoError(w, err)
	w.reserve = reservation(in)
}

func TestSandbox_AVersionBecomesReady(t *testing.T) {
	w := newWorld(t)
	w.inChild()
	files := two()
	files["templates/third.yaml"] = "{{ if .Values.third }}\n" + definition("thirds", "") + "{{ end }}"
	w.Serve("1.0.0", files)
	w.EditOperator(func(o *v1alpha1.Operator) {
		o.Spec.EnvironmentValues = map[string]runtime.RawExtension{"Staging": {Raw: []byte(`{"third": true}`)}}
	})
	name := w.version("1.0.0")
	w.settle(w.controller(w.Store), name)
	assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
	assert.Len(t, w.Names(&v1alpha1.CRDSchemaList{}), 3)
	findings := w.get(name).Status.Findings
	require.Len(t, findings, 1)
	assert.Equal(t, "ChartCRDVaries", findings[0].Code)
	assert.Contains(t, findings[0].Message, "with the values of Staging, and not with spec.values")
}

// TestSandbox_HostileCharts covers charts that must not affect other tenants. Each of them costs
// its rendering time only once.
func TestSandbox_HostileCharts(t *testing.T) {
	t.Setenv("TAKARO_API_TOKEN", "hunter2hunter2")
	for _, test := range []struct {
		name, template string
		reasons        []string
		message        string
	}{
		{"loops in loops", `{{ range until 300 }}{{ range until 20000 }}{{ range until 20000 }}{{ end }}{{ end }}{{ end }}`,
			[]string{v1alpha1.ReasonRenderTooSlow}, "the time limit of 1m0s was exceeded"},
		{"a recursion", `{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`,
			[]string{v1alpha1.ReasonChartNotRendered}, "render templates"},
		{"its own template without end", `{{ define "a" }}x{{ template "a" . }}{{ end }}{{ template "a" . }}`,
			[]string{v1alpha1.ReasonChartNotRendered, v1alpha1.ReasonRenderCrashed, v1alpha1.ReasonRenderOutOfMemory}, ""},
		{"the files of the controller", `{{ fail (printf "got %q" (.Files.Get "/var/run/secrets/kubernetes.io/serviceaccount/token")) }}`,
			[]string{v1alpha1.ReasonChartNotRendered}, `got ""`},
		{"the environment of the controller", `{{ env "TAKARO_API_TOKEN" }}`, []string{v1alpha1.ReasonChartNotRendered},
			`function "env" not defined`},
		{"an address", `{{ fail (printf "got %q" (getHostByName "localhost")) }}`, []string{v1alpha1.ReasonChartNotRendered}, `got ""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.inChild()
			w.Serve("1.0.0", map[string]string{"templates/a.yaml": test.template})
			name := w.version("1.0.0")
			r := w.controller(w.Store)
			w.settle(r, name)
			ready := strings.TrimPrefix(w.condition(name, v1alpha1.ConditionReady), "False ")
			assert.Contains(t, test.reasons, ready, w.message(name))
			assert.Equal(t, "False "+ready, w.condition(name, v1alpha1.ConditionChartFetched))
			assert.Contains(t, w.message(name), test.message)
			assert.NotContains(t, w.message(name), "hunter2")
			assert.Equal(t, v1alpha1.PhaseError, w.get(name).Status.Phase)
			before := w.get(name).ResourceVersion
			r.reserve = func(context.Context, string) (seat, error) { return &refusingSeat{}, nil }
			w.settle(r, name)
			assert.Equal(t, before, w.get(name).ResourceVersion, "it is terminal")
		})
	}
}

// refusingSeat fails if a chart is rendered again.
type refusingSeat struct{}

func (*refusingSeat) Leave() {}
func (*refusingSeat) Run(context.Context, string, any, sandbox.Answer) ([]json.RawMessage, error) {
	return nil, errors.New("rendered again")
}

// failing is a seat whose work fails.
type failing struct{ err error }

func (*failing) Leave() {}
func (f *failing) Run(context.Context, string, any, sandbox.Answer) ([]json.RawMessage, error) {
	return nil, f.err
}

func TestSandbox_FailuresAreConditions(t *testing.T) {
	for kind, want := range map[sandbox.Kind]struct {
		ready   string
		phase   v1alpha1.Phase
		message string
		wait    time.Duration
	}{
		sandbox.KindTooLarge:    {"False RenderTooLarge", v1alpha1.PhaseError, "Split the chart", 0},
		sandbox.KindTooSlow:     {"False RenderTooSlow", v1alpha1.PhaseError, "Find the template that repeats itself", 0},
		sandbox.KindOutOfMemory: {"False RenderOutOfMemory", v1alpha1.PhaseError, "Find the template that repeats text", 0},
		sandbox.KindCrashed:     {"False RenderCrashed", v1alpha1.PhaseError, "The log of the controller", 0},
		sandbox.KindUnavailable: {"False SandboxUnavailable", v1alpha1.PhasePending, "An administrator must", time.Minute},
		sandbox.KindBusy:        {"Unknown Reconciling", v1alpha1.PhasePending, "Another chart for namespace widgets", seatWait},
	} {
		t.Run(string(kind), func(t *testing.T) {
			w := newWorld(t)
			w.Serve("1.0.0", two())
			name := w.version("1.0.0")
			r := w.controller(w.Store)
			r.reserve = func(context.Context, string) (seat, error) {
				return &failing{&sandbox.Error{Kind: kind, Message: "why it is so"}}, nil
			}
			result, err := r.Reconcile(t.Context(), request(name))
			require.NoError(t, err)
			assert.Equal(t, want.wait, result.RequeueAfter)
			assert.Equal(t, want.ready, w.condition(name, v1alpha1.ConditionReady))
			assert.Equal(t, want.phase, w.get(name).Status.Phase)
			assert.Contains(t, w.message(name), want.message)
			if kind != sandbox.KindBusy {
				assert.Contains(t, w.message(name), "why it is so")
			}
			// A result about the chart is kept until the Operator changes. Other errors are
			// retried.
			r.reserve = w.reserve
			w.settle(r, name)
			if want.wait == 0 {
				assert.Equal(t, want.ready, w.condition(name, v1alpha1.ConditionReady))
				assert.Zero(t, w.renders)
				w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.VersionHistoryLimit = new(int32(7)) })
				w.settle(r, name)
			}
			assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
		})
	}
}

// TestSandbox_ASeatThatIsTakenFetchesNothing checks that the seat is reserved before the chart is
// fetched.
func TestSandbox_ASeatThatIsTakenFetchesNothing(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	name := w.version("1.0.0")
	r := w.controller(w.Store)
	r.reserve = func(_ context.Context, namespace string) (seat, error) {
		assert.Equal(t, "widgets", namespace)
		return nil, &sandbox.Error{Kind: sandbox.KindBusy, Message: "other work runs"}
	}
	_, err := r.Reconcile(t.Context(), request(name))
	require.NoError(t, err)
	assert.Equal(t, "Unknown Reconciling", w.condition(name, v1alpha1.ConditionReady))
	assert.Empty(t, w.Repo.Requests(".tgz"))
}

// TestSandbox_ChangedValuesWaitForASeat covers a version that is Ready: values that changed while
// it waits are not lost.
func TestSandbox_ChangedValuesWaitForASeat(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", map[string]string{"templates/a.yaml": "{{ if not .Values.without }}\n" + definition("widgets", "") + "{{ end }}"})
	name := w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, name)
	require.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
	w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.Values = &runtime.RawExtension{Raw: []byte(`{"without":true}`)} })
	w.Clock.Step(2 * time.Minute)
	r.reserve = func(context.Context, string) (seat, error) { return nil, &sandbox.Error{Kind: sandbox.KindBusy} }
	for range 3 {
		result, err := r.Reconcile(t.Context(), request(name))
		require.NoError(t, err)
		assert.Equal(t, seatWait, result.RequeueAfter)
		assert.Equal(t, "Unknown Reconciling", w.condition(name, v1alpha1.ConditionReady))
	}
	r.reserve = w.reserve
	w.settle(r, name)
	assert.Equal(t, "False ChartCRDsChanged", w.condition(name, v1alpha1.ConditionReady))
}
