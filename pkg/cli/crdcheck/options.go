// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"roadstead.dev/roadstead/pkg/engine/crd/bundle"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

// The values of --output.
const (
	formatText  = "text"
	formatJSON  = "json"
	formatSARIF = "sarif"
)

// The values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// Options are the flags of the command.
type Options struct {
	// Chart treats the inputs as Helm charts; archives and folders with a Chart.yaml always are.
	Chart bool
	// Live compares with the cluster instead of an old input.
	Live    bool
	Reverse bool
	// Output is text, json or sarif.
	Output string
	// Color is auto, always or never.
	Color string
	// TargetVersion is the Kubernetes version for the comparison and for rendering charts. Empty:
	// that of the cluster with Live, otherwise the default of pkg/engine/crd/compare.
	TargetVersion string
	Strict        bool
	NoFail        bool
	ShowDigest    bool
	// Values, Set and APIVersions are for rendering charts.
	Values, Set, APIVersions []string
	Release, Namespace       string
	// Kubeconfig and Context select the cluster; empty: the same as kubectl.
	Kubeconfig, Context string
	// LiveBudget is the maximum time for the validation of live objects.
	LiveBudget time.Duration
	NoObjects  bool
}

// NewOptions returns the defaults.
func NewOptions() *Options {
	return &Options{Output: formatText, Color: colorAuto, Release: "release", Namespace: "default", LiveBudget: time.Minute}
}

// AddFlags adds the flags of the command to a set.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.Chart, "chart", o.Chart,
		"The inputs are Helm charts: archives or folders. Not needed for a .tgz, or a folder with a Chart.yaml.")
	flags.BoolVar(&o.Live, "live", o.Live,
		"Compare with the CustomResourceDefinitions in the cluster, and validate its objects against the new ones.")
	flags.BoolVar(&o.Reverse, "reverse", o.Reverse, "Also report what a rollback would break. This does not affect the exit code.")
	flags.StringVarP(&o.Output, "output", "o", o.Output, "Output format: text, json or sarif.")
	flags.StringVar(&o.Color, "color", o.Color, "When to color the text: auto (on a terminal, unless NO_COLOR is set), always or never.")
	flags.StringVar(&o.TargetVersion, "target-version", o.TargetVersion,
		"Kubernetes version of the cluster, such as 1.34. Empty: the version of the cluster with --live, otherwise "+
			compare.DefaultTargetVersion+".")
	flags.BoolVar(&o.Strict, "strict", o.Strict, "Exit with code 1 if a change needs a review.")
	flags.BoolVar(&o.NoFail, "no-fail", o.NoFail,
		"Exit with code 0 whatever the findings are, and with 3 for invalid input. For CI steps that only publish the findings.")
	flags.BoolVar(&o.ShowDigest, "show-digest", o.ShowDigest,
		"Print the digest of each changed CustomResourceDefinition, and the command that allows exactly this change in a guarded cluster.")
	flags.StringArrayVarP(&o.Values, "values", "f", o.Values,
		"YAML file of values to render both charts with. Can be repeated.")
	flags.StringArrayVar(&o.Set, "set", o.Set, "Value to render charts with, such as crds.install=true. Can be repeated.")
	flags.StringSliceVar(&o.APIVersions, "api-versions", o.APIVersions,
		"API versions of the cluster for charts, in addition to those of Kubernetes, such as monitoring.coreos.com/v1.")
	flags.StringVar(&o.Release, "release-name", o.Release, "Name of the release that charts are rendered for.")
	flags.StringVarP(&o.Namespace, "namespace", "n", o.Namespace, "Namespace of the release that charts are rendered for.")
	flags.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig, "Kubeconfig file for --live. Empty: the same as kubectl.")
	flags.StringVar(&o.Context, "context", o.Context, "Context of the kubeconfig for --live. Empty: the current context.")
	flags.DurationVar(&o.LiveBudget, "live-budget", o.LiveBudget,
		"Maximum time for the validation of live objects, for all CustomResourceDefinitions together. The output names what was not checked.")
	flags.BoolVar(&o.NoObjects, "no-objects", o.NoObjects, "With --live, only compare the CustomResourceDefinitions, without their objects.")
}

// Validate returns an error if a flag or the number of inputs is invalid.
func (o *Options) Validate(inputs []string) error {
	if err := oneOf("--output", o.Output, formatText, formatJSON, formatSARIF); err != nil {
		return err
	}
	if err := oneOf("--color", o.Color, colorAuto, colorAlways, colorNever); err != nil {
		return err
	}
	if err := (compare.Options{TargetVersion: o.TargetVersion}).Validate(); err != nil {
		return fmt.Errorf("--target-version: %w", err)
	}
	if o.LiveBudget <= 0 {
		return fmt.Errorf("--live-budget: %s is invalid: must be greater than 0; to skip the objects, use --no-objects", o.LiveBudget)
	}
	switch {
	case o.Live && len(inputs) == 0:
		return errors.New("--live requires the new CustomResourceDefinitions: a file, a folder, a chart, or - for standard input")
	case !o.Live && len(inputs) != 2:
		return fmt.Errorf("two inputs are required, the old and the new one, but %d were given; for examples, see --help", len(inputs))
	}
	if count(inputs, bundle.Stdin) > 1 {
		return errors.New("standard input can be read only once")
	}
	return nil
}

func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s: %q is not supported: must be one of %s", flag, value, strings.Join(allowed, ", "))
}

func count(all []string, one string) int {
	n := 0
	for _, each := range all {
		if each == one {
			n++
		}
	}
	return n
}
