// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/version"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/operator"
	"roadstead.dev/roadstead/pkg/controllers/release/operatorversion"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
	"roadstead.dev/roadstead/pkg/util/apiaddresses"
)

// operatorOptions are the flags about Operators and their charts.
type operatorOptions struct {
	// ChartKubeVersion is the Kubernetes version that charts are rendered for.
	ChartKubeVersion string
	// ChartComparePeriod is the time between queries of each chart repository.
	ChartComparePeriod time.Duration
}

func newOperatorOptions() operatorOptions {
	return operatorOptions{ChartKubeVersion: compare.DefaultTargetVersion, ChartComparePeriod: 10 * time.Minute}
}

func (o *operatorOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.ChartKubeVersion, "chart-kube-version", o.ChartKubeVersion,
		"Kubernetes version that the charts of operators are rendered for, to find the CustomResourceDefinitions in them.")
	flags.DurationVar(&o.ChartComparePeriod, "chart-compare-period", o.ChartComparePeriod, "Time between looks at each chart "+
		"repository: whether it answers, which versions it has, and whether it still serves the charts that were fetched.")
}

func (o *operatorOptions) validate() []error {
	var errs []error
	if _, err := version.ParseGeneric(o.ChartKubeVersion); err != nil {
		errs = append(errs, fmt.Errorf("--chart-kube-version: %q is not a Kubernetes version such as %s", o.ChartKubeVersion,
			compare.DefaultTargetVersion))
	}
	if o.ChartComparePeriod < time.Second {
		errs = append(errs, errors.New("--chart-compare-period: must be 1s or more"))
	}
	return errs
}

// setupOperators adds the controllers of Operators and OperatorVersions, with their shared
// dependencies. user is the user name of the controller.
func (o *Options) setupOperators(mgr ctrl.Manager, user string, own *apiaddresses.Follower) error {
	source := chartsource.Source{Secrets: secrets.NewReader(
		secrets.Within(mgr.GetCache(), o.usableNamespaces), secrets.Within(mgr.GetAPIReader(), o.usableNamespaces))}
	repositories := repository.New(repository.Options{
		Dial: o.chartsPolicy(own.Addresses),
		// A query must not be served from the index of the previous one.
		IndexLife: min(time.Minute, o.Operators.ChartComparePeriod),
	})
	// Charts are written by tenants, and this process can read their Secrets. Therefore charts are
	// never processed in this process.
	confined := sandbox.New(sandbox.Options{Sample: operatorversion.RenderSample})
	if err := mgr.Add(confined); err != nil {
		return fmt.Errorf("sandbox for charts: %w", err)
	}
	if err := metrics.Registry.Register(newSandboxGauge(confined.Unavailable)); err != nil {
		return err
	}
	definitions := schemas.NewReader(mgr.GetCache(), mgr.GetAPIReader())
	if err := operator.Setup(mgr, operator.Dependencies{
		Source: source, Charts: repositories, Schemas: definitions, Period: o.Operators.ChartComparePeriod,
	}); err != nil {
		return fmt.Errorf("controller of Operators: %w", err)
	}
	if err := operatorversion.Setup(mgr, operatorversion.Dependencies{
		Source: source, Charts: repositories, Schemas: definitions, Sandbox: confined,
		KubeVersion: o.Operators.ChartKubeVersion, ComparePeriod: o.Operators.ChartComparePeriod, User: user,
	}); err != nil {
		return fmt.Errorf("controller of OperatorVersions: %w", err)
	}
	return nil
}

// newSandboxGauge returns the metric that reports whether charts cannot be rendered.
func newSandboxGauge(unavailable func() bool) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "roadstead_sandbox_unavailable",
		Help: "1 while charts are not rendered, because the process that renders them cannot be confined on this machine.",
	}, func() float64 {
		if unavailable() {
			return 1
		}
		return 0
	})
}

// SandboxHandlers returns the handlers that run in a child process, by name.
func SandboxHandlers() map[string]sandbox.Handler {
	return map[string]sandbox.Handler{operatorversion.ChartHandler: operatorversion.RenderChart}
}

// chartsPolicy returns the policy for connections to chart repositories.
func (o *Options) chartsPolicy(own func() ([]netip.AddrPort, bool)) netguard.Policy {
	return netguard.Policy{
		Engine:        engineCharts,
		AllowPrivate:  slices.Contains(o.AllowPrivate, engineCharts),
		AllowLoopback: o.AllowLoopback,
		Own:           own,
	}
}
